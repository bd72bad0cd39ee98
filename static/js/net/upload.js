// Sends a file, and says how far it is: `fetch` does not.

import { HttpError } from "./http.js";

// progress(part): from 0 to 1. Fails with an HttpError.
/**
 * @param {string} path @param {Blob} file
 * @param {{progress(part: number): void, signal: AbortSignal}} more
 */
export function upload(path, file, { progress, signal }) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", path);
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) progress(event.loaded / event.total);
    });
    request.addEventListener("load", () => {
      const body = parsed(request.responseText);
      if (request.status >= 200 && request.status < 300 && body) resolve(body);
      else reject(new HttpError(request.status, body));
    });
    for (const name of ["error", "abort", "timeout"]) {
      request.addEventListener(name, () => reject(new HttpError(0)));
    }
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
