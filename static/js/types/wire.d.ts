// The objects exchanged by page and server. Times are integer milliseconds since 1970.

export {};

declare global {
  type PersonKind = "customer" | "admin";

  /** A list: a view and its order. The server's requests and frames name a place by a view and a filter. */
  interface ListName {
    /** A place, a saved view (`v17`), or `query`. */
    view: string;
    /** The conditions of the list of an unsaved query. */
    query?: string;
    sort: string;
  }

  /** A named query with a sort; `total` is null while its list is being built. */
  interface SavedView {
    id: string;
    name: string;
    query: string;
    sort: string;
    owner: string;
    /** The time zone of the days in the query. */
    timezone?: string | null;
    total?: number | null;
    changed_at?: number | null;
    /** A mistake in the query by now. */
    mistake?: { at: number; expected: string[] } | null;
  }

  interface Person {
    id: number;
    name: string;
  }

  interface Admin extends Person {
    email: string;
    role: "admin" | "supervisor";
  }

  interface Customer {
    id: string;
    name: string | null;
    avatar_url: string | null;
    /** 0 to 5, or -1 for a customer who is no member. */
    member_status: number;
    locale: string | null;
    created_at?: number;
  }

  /** A thread as a list shows it; `rev` grows with each change of the thread. */
  interface Row {
    id: number;
    rev: number;
    thread: string;
    source: string;
    customer: Customer | null;
    preview: { role: string; body: string; at: number; deleted?: true } | null;
    open: boolean;
    priority: string;
    recent_at: number;
    waiting_since: number | null;
    answered: boolean;
    unanswered: number;
    /** The newest stored message that is no note. */
    last_message_id: number | null;
    /** The author of the newest message by time; `by`: the admin who wrote it on the dashboard. */
    last: { role: string; by: Person | null } | null;
    assignee: Person | null;
    /** The queue that gave the thread to its assignee; null also if this admin does not see that queue. */
    queue: number | null;
    /** The time when an answer is due. */
    due_at: number | null;
    /** Sorted. */
    tags: string[];
    desk: string;
    snooze: { until: number; wake: "reply" | "never"; by: Person | null } | null;
    /** When and why the snooze ended; `by` had snoozed the thread. */
    woken: { at: number; reason: "time" | "reply" | "admin"; by: Person | null } | null;
  }

  /** What the team keeps in mind about a customer. */
  interface PersonNote {
    text: string;
    by: Person;
    at: number;
  }

  interface Attachment {
    url: string;
    type: string;
    name: string;
  }

  /** The progress of a message; of two, the one with the greater `v` is newer. */
  interface Delivery {
    state: "queued" | "sent" | "delivered" | "read" | "failed";
    to: string;
    attempts: number;
    at: number;
    v: number;
  }

  interface Message {
    id: number;
    thread_id: number;
    role: "client" | "admin" | "bot" | "system";
    author: { id: number | null; name: string } | null;
    body: string;
    attachments: Attachment[];
    private: boolean;
    at: number;
    delivery: Delivery | null;
    /** The last edit by the customer or the chatbot, or the deletion; a greater `v` is newer. */
    edit?: { at: number; deleted: boolean; v: number };
    /** The colleagues that a note mentions, and the names that it uses. */
    mentions?: Mention[];
  }

  /** Something that concerns an admin; `by` is the colleague who did it. */
  interface Notice {
    kind: "message" | "assigned" | "mention" | "queue";
    id: number | string;
    thread_id: number;
    at: number;
    customer: { id: string; name: string | null } | null;
    by: Person | null;
    text: string;
  }

  interface Mention {
    id: number;
    name: string;
  }

  /** The event `thread:advice`: all that the chatbot advises the admins of a thread. */
  interface AdviceGiven {
    thread_id: number;
    suggestion: { id: number; body: string; for_message: number } | null;
    summary: { id: number; body: string; through: number; through_at: number } | null;
  }

  /** An act on a thread; `by` is null for the chatbot and the customer. */
  interface Act {
    id: number;
    type: string;
    at: number;
    by: { id: number; name: string } | null;
    priority?: string;
    /** Tags that were added and removed. */
    added?: string[];
    removed?: string[];
    desk?: string;
    assignee?: { id: number; name: string } | null;
    cause?: "message" | "handoff";
    /** With a release: the admin who had the thread, and the reason. */
    previous?: Person;
    note?: string;
    /** The queue that gave the thread, or that it went back to, and why it went back. */
    queue?: QueueName | null;
    returned?: "released" | "not_taken" | "offline" | null;
    /** The end of a snooze. */
    until?: number;
    wake?: "reply" | "never";
    /** The reason why a snooze ended. */
    reason?: "time" | "reply" | "admin";
    /** The due time that was missed. */
    due_at?: number;
    policy?: string;
    target?: "first_reply" | "next_reply";
  }

  /** A list of the server at one version: its ids in order, with their scores. */
  interface ListAnswer {
    epoch: string;
    version: number;
    total: number;
    ids: number[];
    scores: number[];
  }

  /** The answer to `list:open`; `late`: it was read from SQL because Redis is away. */
  interface OpenAnswer extends ListAnswer {
    rows: Row[];
    late?: boolean;
    /** Whether the list is being built; then the answer has only the progress. */
    building?: boolean;
    /** From 0 to 1. */
    progress?: number;
  }

  /** Archived threads of a list; `next` is [score, id] after which more may follow, null at the end. */
  interface ArchiveAnswer {
    ids: number[];
    scores: number[];
    rows: Row[];
    next: [score: number, id: number] | null;
    days: number;
  }

  /** `list:order`: takes a list from version `from` to `version`. */
  interface Frame extends Partial<ListName> {
    epoch: string;
    from: number;
    version: number;
    total: number;
    set: [id: number, score: number][];
    del: number[];
    rows: Record<string, Row>;
  }

  /** One thread's move: scores, undefined if it is not in the head; `left`: it left the list. */
  interface Change {
    id: number;
    was: number | undefined;
    now: number | undefined;
    left: boolean;
  }

  interface ViewTotals {
    filter: string;
    arrival: number;
    not_respond: number;
    history: number;
    [view: string]: number | string | undefined;
  }

  interface QueueNumbers {
    waiting: number;
    longest_since: number | null;
    over: number;
    over_ms: number;
    here: number | null;
  }

  interface Member extends Person, MemberLoad {
    role: string;
    /** The desks of the threads that they see; null: all. */
    desks: string[] | null;
    assigned: number | null;
    threads: { id: number; customer: Customer | null }[];
  }

  interface Viewer extends Person {
    mode: "away" | "viewing" | "editing" | "typing";
  }

  /** A problem (RFC 9457). */
  interface Problem {
    status: number;
    code: string;
    title: string;
    detail: string;
    assignee?: Person;
    unseen?: Message[];
  }

  interface CannedReply {
    id: number;
    shortcut: string;
    body: string;
  }

  interface Preferences {
    /** The place that was open last; null before the first, which is then `view`. */
    place: string | null;
    view: string;
    /** The saved view that was open last; without `sort` it has its own sort. */
    saved: { view: string; sort?: string } | null;
    sorts: Record<string, string>;
    theme: string;
    locale: string;
    follow: string;
    density: string;
    send_key: string;
    single_keys: boolean;
    list_width: number | null;
    notify: { sound: boolean; desktop: boolean; title: boolean; views: string[] };
    customer_panel: boolean;
    notify_own: boolean;
    notify_text: boolean;
    /** Whether the page has yet to explain why the list stands still. */
    list_hint: boolean;
  }

  interface Choices {
    views: string[];
    /** The conditions of each built-in view. */
    viewQueries: Record<string, string>;
    sorts: string[];
    priorities: string[];
  }

  /** Limits of requests. */
  interface Limits {
    message_characters: number;
    /** The most files of a message, and the most bytes of one. */
    message_files: number;
    file_bytes: number;
    shortcut_characters: number;
    status_characters: number;
    list_ids: number;
    watched_ids: number;
    row_ids: number;
    view_name_characters: number;
    query_characters: number;
    own_views: number;
    shared_views: number;
    snooze_years: number;
    tag_characters: number;
  }

  /** An order of threads written by a supervisor. */
  interface SavedSort {
    name: string;
    title: string;
    rules?: { when: string; by: string; order: string; split?: string | null }[];
    /** The time zone of the days in the rules; null for built-in sorts. */
    timezone?: string | null;
    changed_at?: number | null;
  }

  /** The effect of a sort on the first threads of a view. */
  interface SortPreviewAnswer {
    bits: number;
    tiers: number;
    moved: number;
    of: number;
    before: number[];
    after: number[];
    /** False: the search took too long, so these are only the newest threads. */
    whole: boolean;
  }

  /** A text that may replace the characters [from, to) of a query. */
  interface Suggestion {
    text: string;
    from: number;
    to: number;
    kind: "field" | "value" | "operator";
  }

  interface Window {
    lineup: { list(): object };
  }
}
