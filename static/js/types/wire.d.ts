// The shapes that go between the page and the server. Times are integer milliseconds since 1970.

export {};

declare global {
  type PersonKind = "customer" | "admin";

  /** Which list: a view, its order, and who the threads are assigned to. */
  interface ListName {
    /** Built-in, saved (`v17`), or `query`. */
    view: string;
    /** What the list of a query that is not saved asks for. */
    query?: string;
    sort: string;
    filter: string;
  }

  /** A named query with a sort; `total` is null while its list is being built. */
  interface SavedView {
    id: string;
    name: string;
    query: string;
    sort: string;
    owner: string;
    /** Of its days. */
    timezone?: string | null;
    total?: number | null;
    changed_at?: number | null;
    /** What is wrong in the query by now. */
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
    /** 0 to 5, or -1 for who is not a member. */
    member_status: number;
    locale: string | null;
    created_at?: number;
  }

  /** What a list shows of a thread; `rev` grows with each change of the thread. */
  interface Row {
    id: number;
    rev: number;
    thread: string;
    source: string;
    customer: Customer | null;
    preview: { role: string; body: string; at: number } | null;
    open: boolean;
    priority: string;
    recent_at: number;
    waiting_since: number | null;
    answered: boolean;
    unanswered: number;
    /** The newest message stored that is no note. */
    last_message_id: number | null;
    /** Who wrote the newest by time; `by`: the admin who did so on the dashboard. */
    last: { role: string; by: Person | null } | null;
    assignee: Person | null;
    /** By when an answer is due. */
    due_at: number | null;
    /** In order. */
    tags: string[];
    desk: string;
    snooze: { until: number; wake: "reply" | "never"; by: Person | null } | null;
    /** Since when and why it is no longer snoozed; `by` had snoozed it. */
    woken: { at: number; reason: "time" | "reply" | "admin"; by: Person | null } | null;
  }

  interface Attachment {
    url: string;
    type: string;
    name: string;
  }

  /** How far a message has come; the greater `v` is the newer one. */
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
    /** Whom a note mentions, and how it calls them. */
    mentions?: Mention[];
  }

  /** Something that concerns an admin; `by` is the colleague who did it. */
  interface Notice {
    kind: "message" | "assigned" | "mention";
    id: number;
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

  /** What was done to a thread; `by` is null for the chatbot and the customer. */
  interface Act {
    id: number;
    type: string;
    at: number;
    by: { id: number; name: string } | null;
    priority?: string;
    /** Tags that it got and lost. */
    added?: string[];
    removed?: string[];
    desk?: string;
    assignee?: { id: number; name: string } | null;
    cause?: "message" | "handoff";
    /** Of a snooze. */
    until?: number;
    wake?: "reply" | "never";
    /** Why it woke. */
    reason?: "time" | "reply" | "admin";
    /** Of a promise that was not kept. */
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
    /** The list is being built, and nothing else is in the answer: how far it is. */
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

  /** One thread's move: scores, undefined where it is not in the head; `left`: it left the list. */
  interface Change {
    id: number;
    was: number | undefined;
    now: number | undefined;
    left: boolean;
  }

  /** `list:totals`: a list that is open, and how many threads it has by filter. */
  interface FilteredTotals extends Partial<ListName> {
    totals: Record<string, number>;
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

  interface Member extends Person {
    role: string;
    /** Whose threads they see; null: all. */
    desks: string[] | null;
    assigned: number | null;
    threads: { id: number; customer: Customer | null }[];
  }

  interface Viewer extends Person {
    mode: "away" | "viewing" | "editing" | "typing";
  }

  /** RFC 9457. */
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
    view: string;
    /** The saved view that was open last; without a sort in its own. */
    saved: { view: string; sort?: string; filter?: string } | null;
    sorts: Record<string, string>;
    filters: Record<string, string>;
    theme: string;
    locale: string;
    follow: string;
    density: string;
    send_key: string;
    single_keys: boolean;
    list_width: number | null;
    notify: { sound: boolean; desktop: boolean; title: boolean; views: string[] };
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
    filters: string[];
    priorities: string[];
  }

  /** What may be sent at most. */
  interface Limits {
    message_characters: number;
    /** Files of a message, and bytes of one. */
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

  /** An order of threads that a supervisor has written. */
  interface SavedSort {
    name: string;
    title: string;
    rules?: { when: string; by: string; order: string; split?: string | null }[];
    /** Of the days in the rules; null of built-in ones. */
    timezone?: string | null;
    changed_at?: number | null;
  }

  /** What a sort would do to the first threads of a view. */
  interface SortPreviewAnswer {
    bits: number;
    tiers: number;
    moved: number;
    of: number;
    before: number[];
    after: number[];
    /** False: looking took too long, and these are the newest threads alone. */
    whole: boolean;
  }

  /** What may be written into a query in the place of its characters [from, to). */
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
