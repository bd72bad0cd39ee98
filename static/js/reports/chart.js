// A chart over time: columns for counts, lines for durations and parts. uPlot draws it; the table beside it says
// the same to those who cannot see it.

import uPlot from "uplot";

import { onResize } from "../browser.js";
import { axisTexts } from "../core/reports/words.js";

const HEIGHT_PX = 240;
const LABEL_PX = 72;
const POINTS_MAX = 60; // with more steps a line has no points
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
// Where durations have a line of the grid; on their axis each step is as much longer as the one before.
const DURATIONS = [SECOND, 10 * SECOND, MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, DAY, 7 * DAY, 30 * DAY, 365 * DAY];
const TIMES = [SECOND, 5 * SECOND, 10 * SECOND, 30 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 30 * DAY, 90 * DAY];
const COUNTS = [1, 2, 5].flatMap((digit) => Array.from({ length: 9 }, (_, zeros) => digit * 10 ** zeros)).sort((a, b) => a - b);
// Lines differ also where colours do not.
const DASHES = [[], [6, 4], [2, 3], [10, 4, 2, 4], [4, 2], [1, 4]];

export class ReportChart {
  /** @type {any} */
  #plot = null;
  /** @type {HTMLElement | null} */
  #root = null;
  #key = "";
  /** @type {any} */
  #given = null;

  // Draws; the plot of before stays if only its numbers are others.
  // given: labels of the steps, lines [{name, values}], `kind` of the axis: "count", "time" or "durations", `columns`,
  // pointed(index or null), pressed(index).
  /** @param {HTMLElement} root @param {any} given */
  show(root, given) {
    this.#given = given;
    const { labels, lines, kind, columns } = given;
    const values = lines.map((line) => (kind === "durations" ? line.values.map(atLeast) : line.values));
    const data = [labels.map((_, at) => at), ...values];
    const colours = coloursOf(root, lines.length);
    const key = JSON.stringify([kind, columns, colours, lines.map(({ name }) => name), labels.length > POINTS_MAX]);
    if (this.#plot && root === this.#root && key === this.#key) return this.#plot.setData(data);
    this.end();
    if (root !== this.#root) {
      onResize(root, () => this.#fit(root));
      root.addEventListener("click", () => {
        const at = this.#plot?.cursor.idx;
        if (at !== null && at !== undefined) this.#given.pressed(at);
      });
    }
    this.#root = root;
    this.#key = key;
    this.#plot = new uPlot(/** @type {any} */ (this.#options(root, colours)), /** @type {any} */ (data), root);
    return undefined;
  }

  end() {
    this.#plot?.destroy();
    this.#plot = null;
  }

  #fit(root) {
    if (root === this.#root && this.#plot && root.clientWidth) this.#plot.setSize({ width: root.clientWidth, height: HEIGHT_PX });
  }

  #options(root, { text, line, series }) {
    const { lines, kind, columns, labels } = this.#given;
    const axis = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { show: false }, font: `12px ${fontOf(root)}` };
    const isLog = kind === "durations";
    return {
      width: root.clientWidth || 600, height: HEIGHT_PX, legend: { show: false }, padding: [8, 20, 0, 0],
      cursor: { y: false, drag: { x: false, y: false, setScale: false }, points: { size: 7 } },
      scales: {
        x: { time: false, range: (_, low, high) => [low - 0.5, high + 0.5] },
        y: isLog ? { distr: 3, range: durationsRange } : { range: (_, low, high) => [0, Math.max(high || 1, 1) * 1.05] },
      },
      axes: [
        { ...axis, size: 28, grid: { show: false }, splits: (plot) => this.#splits(plot), values: (_, at) => at.map((index) => this.#given.ticks[index] ?? "") },
        {
          ...axis, size: 48, ...(isLog
            ? { splits: (_, __, low, high) => DURATIONS.filter((ms) => ms >= low && ms <= high), filter: (_, splits) => splits }
            : { incrs: kind === "time" ? TIMES : COUNTS }),
          values: (_, at) => axisTexts(at, kind, this.#given.t),
        },
      ],
      series: [{}, ...lines.map((_, at) => (columns
        ? { fill: series[at], stroke: series[at], width: 0, paths: uPlot.paths.bars({ size: [0.72, 48], radius: 0.12 }), points: { show: false } }
        : { stroke: series[at], width: 2, dash: DASHES[at], points: { show: labels.length <= POINTS_MAX, size: 5, fill: series[at] } }))],
      hooks: { setCursor: [(plot) => this.#given.pointed(plot.cursor.idx ?? null)] },
    };
  }

  // The steps with a label: those that have room.
  #splits(plot) {
    const { ticks } = this.#given;
    const named = ticks.flatMap((tick, at) => (tick ? [at] : []));
    const every = Math.max(1, Math.ceil(named.length / Math.max(1, Math.floor(plot.bbox.width / devicePixelRatio / LABEL_PX))));
    return named.filter((_, place) => place % every === 0);
  }
}

// An axis of durations has no zero.
const atLeast = (ms) => (ms === null ? null : Math.max(ms, SECOND));

function durationsRange(_, low, high) {
  if (!low) return [SECOND, HOUR];
  const under = DURATIONS.findLast((ms) => ms <= low) ?? SECOND;
  const over = DURATIONS.find((ms) => ms >= high) ?? high;
  return under === over ? [under, over * 2] : [under, over];
}

const fontOf = (root) => getComputedStyle(root).fontFamily;

// The colours as they are now: those of the page's theme, or of the system.
function coloursOf(root, count) {
  const frame = root.parentElement;
  const of = (selector, name) => getComputedStyle(frame.querySelector(selector))[name];
  return {
    text: getComputedStyle(root).color, line: getComputedStyle(root).borderTopColor,
    series: Array.from({ length: count }, (_, at) => of(`.report-swatch[data-series="${at}"]`, "color")),
  };
}
