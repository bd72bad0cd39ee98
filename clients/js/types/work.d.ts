export class Worker {
    /** @param {() => Promise<boolean>} work @param {number} pauseMs @param {(error: unknown) => void} failed */
    constructor(work: () => Promise<boolean>, pauseMs: number, failed: (error: unknown) => void);
    work: () => Promise<boolean>;
    pauseMs: number;
    failed: (error: unknown) => void;
    start(): void;
    wake(): void;
    /** Ends after the call under way. */
    stop(): Promise<void>;
    #private;
}
/** A journal, and work that goes on from `start` to `stop`. */
export class Background {
    /** @param {{name: string, file: string, pauseMs: number, log(text: string): void}} given @param {() => Promise<boolean>} work */
    constructor({ name, file, pauseMs, log }: {
        name: string;
        file: string;
        pauseMs: number;
        log(text: string): void;
    }, work: () => Promise<boolean>);
    journal: Journal;
    worker: Worker;
    start(): this;
    /** Ends after the call under way. */
    stop(): Promise<void>;
}
import { Journal } from "./journal.js";
