// HTTP requests: JSON in and out; each failure is an HttpError.

const TIMEOUT_MS = 15_000;

export class HttpError extends Error {
  // status 0: no answer came. body: the problem object of the answer, if there is one.
  constructor(status, body = null, retryAfterMs = null) {
    super(body?.detail ?? body?.title ?? `HTTP ${status}`);
    Object.assign(this, {
      status, body, retryAfterMs, code: body?.code ?? null, detail: body?.detail ?? "",
    });
  }
}

export class Http {
  // signedOut() is called after each answer 401.
  constructor({ signedOut, fetch = globalThis.fetch.bind(globalThis) }) {
    this.signedOut = signedOut;
    this.fetch = fetch;
  }

  get(path) { return this.#ask("GET", path); }
  /** @param {string} path @param {object} body */
  post(path, body = {}) { return this.#ask("POST", path, body); }
  /** @param {string} path @param {object} body */
  put(path, body) { return this.#ask("PUT", path, body); }
  /** @param {string} path */
  delete(path) { return this.#ask("DELETE", path, {}); }
  // The request is sent even if the page is closed.
  /** @param {string} path @param {object} body */
  patch(path, body) { return this.#ask("PATCH", path, body, true); }

  async #ask(method, path, body, keepalive = false) {
    const answer = await this.#send(method, path, body, keepalive);
    if (answer.ok) return answer.status === 204 ? null : answer.json();
    if (answer.status === 401) this.signedOut();
    throw new HttpError(answer.status, await problemOf(answer), retryAfterMs(answer));
  }

  async #send(method, path, body, keepalive) {
    const headers = { Accept: "application/json" };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    try {
      return await this.fetch(path, {
        method,
        headers,
        body: body === undefined ? undefined : JSON.stringify(body),
        credentials: "same-origin",
        redirect: "manual",
        keepalive,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch {
      throw new HttpError(0);
    }
  }
}

async function problemOf(answer) {
  try {
    return await answer.json();
  } catch {
    return null;
  }
}

function retryAfterMs(answer) {
  const seconds = Number(answer.headers.get("Retry-After"));
  return seconds > 0 ? seconds * 1000 : null;
}

// Sends a file and reports the progress, which `fetch` cannot do.

// progress(part): from 0 to 1. Throws HttpError.
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
