// Reports: what the page asks for, and the server's answers.

export {};

declare global {
  type ReportMeasure = "facts" | "threads" | "durations" | "level" | "time" | "list";
  /** Everything that the address names; "" is what is not chosen. */
  type ReportState = {
    metric: string;
    by: string;
    span: string;
    /** Days, both included, of the span `own`. */
    from: string;
    to: string;
    step: string;
    timezone: string;
    query: string;
    /** The list of the metric `length`; "query" is the list of the query. */
    view: string;
    hours: string;
    /** The percentile that the week and the lines of parts show. */
    shown: string;
  };
  /** A number whose threads are shown: its time (ms), its part, and the bounds of its durations (ms). */
  type ReportRows = { from: number; to: number; part: string | null; least: number | null; below: number | null };
  type ReportDurations = { count: number; p50: number | null; p90: number | null; p99: number | null };
  /** null: still to come. */
  type ReportValue = number | ReportDurations;
  type ReportPart = { key: string; name: string | null; total: ReportValue; values: (ReportValue | null)[] };
  type ReportBar = { below: number | null; count: number };
  interface Report {
    metric: string;
    unit: "count" | "milliseconds";
    from: number;
    to: number;
    steps: number[];
    total: ReportValue;
    values: (ReportValue | null)[];
    parts: ReportPart[];
    adds_up: boolean;
    histogram: ReportBar[] | null;
    /** null: the first counting is under way. */
    counted_until: number | null;
    /** From then on lists are known; of metrics that count lists. */
    known_since: number | null;
  }
  /** The report on screen; `parts` if the server gives them apart from the steps. */
  type ReportShown = { state: ReportState; time: { from: number; to: number }; steps: Report; parts: Report | null };
  /** Threads behind a number, as many as are read, with the values (ms) of their order. */
  type ReportBehind = {
    rows: Row[];
    values: number[];
    total: number;
    /** How often it happened in them. */
    count: number;
    next: number[] | null;
    at: number | null;
  };
  type ReportWords = ReturnType<typeof import("../core/reports/words.js").stepWords>;
  /** The column by which parts are sorted, and how. */
  type ReportOrder = { column: number; isUp: boolean; by(column: number): void };
  /** The data that the parts of the page draw from. */
  type ReportLook = {
    order: ReportOrder;
    shown: ReportShown;
    t: Translate;
    words: ReportWords;
    /** Shows the threads behind a number; null: this metric counts no threads. */
    open: ((rows: ReportRows) => void) | null;
    /** The address of the list of those who waited at a moment, or null if none is known. */
    asItWas: (at: number, part: string | null) => string | null;
    follow: (event: MouseEvent) => void;
    /** A moment by the admin's own clock, if the report has another zone; else "". */
    ownTime: (at: number) => string;
  };
}
