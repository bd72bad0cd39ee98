// The sound of new work: two soft tones, computed here, without a file.

const TONES = [[660, 0], [880, 0.12]]; // [Hz, seconds from now]
const TONE_SECONDS = 0.22;
const LATE_MS = 1000; // a later sound would mislead

let audio = null;

// due: when it should sound, by the clock `now`; later than LATE_MS it is left out.
/** @param {number} due @param {() => number} now */
export async function chime(due, now) {
  audio ??= new AudioContext();
  await audio.resume(); // resolves after the first click or key in the page
  if (now() - due > LATE_MS) return;
  for (const [hertz, after] of TONES) tone(hertz, audio.currentTime + after);
}

function tone(hertz, at) {
  const source = new OscillatorNode(audio, { frequency: hertz });
  const volume = new GainNode(audio, { gain: 0 });
  volume.gain.setValueAtTime(0, at);
  volume.gain.linearRampToValueAtTime(0.12, at + 0.02);
  volume.gain.exponentialRampToValueAtTime(0.001, at + TONE_SECONDS);
  source.connect(volume).connect(audio.destination);
  source.start(at);
  source.stop(at + TONE_SECONDS);
}
