// The four groups that main.js hands over, and the parameters of the classes of core/ and net/.

import type { Alerts } from "../ui/shell/alerts.js";
import type { Api } from "../net/api.js";
import type { Archive } from "../core/list/archive.js";
import type { Bulk } from "../ui/list/bulk.js";
import type { Completion } from "../core/query/completion.js";
import type { ColleagueActions } from "../ui/thread/actions.js";
import type { Connection } from "../net/socket.js";
import type { ConnectionState } from "../ui/shell/connection-state.js";
import type { Density } from "../ui/shell/layout.js";
import type { Dialog } from "../ui/elements/dialog.js";
import type { Drafts } from "../core/thread/drafts.js";
import type { Fetcher } from "../core/list/rows.js";
import type { Follow } from "../ui/list/follow.js";
import type { Heartbeat } from "../net/heartbeat.js";
import type { Liveness } from "../net/heartbeat.js";
import type { SealedStorage } from "../core/sealed-storage.js";
import type { Neighbours } from "../core/list/lists.js";
import type { Hold } from "../core/list/hold.js";
import type { Keymap } from "../core/keymap.js";
import type { Language } from "../ui/elements/language.js";
import type { Layout } from "../ui/shell/layout.js";
import type { Lazy } from "../ui/elements/lazy.js";
import type { LazyPane } from "../ui/elements/lazy.js";
import type { ListPane } from "../ui/list/list.js";
import type { Lists } from "../core/list/lists.js";
import type { Movement } from "../core/list/hold.js";
import type { Navigation } from "../ui/shell/navigation.js";
import type { Notifier } from "../ui/shell/notifier.js";
import type { OpenThread } from "../core/thread/thread.js";
import type { Outbox } from "../core/thread/outbox.js";
import type { PastPane } from "../ui/list/past.js";
import type { Painter } from "../ui/elements/painter.js";
import type { Picks } from "../ui/list/picks.js";
import type { Prefs } from "../core/prefs.js";
import type { Presence } from "../core/presence.js";
import type { PresencePanels } from "../ui/presence/panels.js";
import type { Reading } from "../core/thread/reading.js";
import type { RowRefresh } from "../ui/list/follow.js";
import type { QueryField } from "../ui/query/field.js";
import type { Rows } from "../core/list/rows.js";
import type { SettingsArea } from "../settings/area.js";
import type { SavedViews } from "../core/list/saved-views.js";
import type { Sorts } from "../core/query/sorts.js";
import type { Splitter } from "../ui/shell/layout.js";
import type { Theme } from "../ui/shell/layout.js";
import type { ThreadActions } from "../ui/thread/actions.js";
import type { Advice } from "../ui/advice/advice.js";
import type { Queues } from "../ui/queues/queues.js";
import type { QueueLine } from "../ui/thread/queue-now.js";
import type { ThreadFinder } from "../ui/list/thread-finder.js";
import type { ThreadMode } from "../core/thread/thread-mode.js";
import type { ThreadPane } from "../ui/thread/pane.js";
import type { Toasts } from "../ui/elements/toasts.js";
import type { Undoing } from "../ui/elements/undoing.js";
import type { Totals } from "../core/totals.js";
import type { Order } from "../core/list/order.js";
import type { UnsentDialog } from "../app/unsent.js";
import type { TemplateResult } from "lit-html";

declare global {
  /** Sends a Socket.IO event; resolves to the answer, rejects with CallError. */
  type Call = (name: string, data: object) => Promise<any>;
  type Translate = ReturnType<typeof import("../core/i18n.js").translator>;
  type ListOrder = Order;
  type ListArchive = Archive;
  /** The values needed to write times as texts. */
  type TimeGiven = {
    t: Translate;
    words: ReturnType<typeof import("../core/time.js").timeWords>;
    now: number;
    adminId?: number;
  };
  /** The content of a template. */
  type Content = TemplateResult<1> | TemplateResult<1>[] | string;
  /** A choice shown in place of the palette; `isCurrent` marks the chosen entry. */
  type PaletteChoice = { label: string; entries: () => any[] };
  type Command = { text: string; icon: unknown; also?: string; keys: string; run: () => void };
  /** The threads on which an act is done; isPicked: they are the selected ones. */
  type Target = { ids: number[]; isPicked: boolean };
  type ToastAction = { text: Content; keys?: string; run: () => void };

  interface Timers {
    setTimeout(run: (...given: any[]) => void, ms?: number): any;
    clearTimeout(timer: any): void;
    setInterval?(run: () => void, ms?: number): any;
  }

  interface ConnectionEvents {
    connected(): void;
    disconnected(): void;
    /** The handshake failed. */
    refused(error: Error & { data?: { code?: string } }): void;
    event(name: string, data: any, acknowledge?: () => void): void;
  }

  interface Data {
    admin: Admin;
    adminId: number;
    choices: Choices;
    drafts: Drafts;
    hold: Hold;
    limits: Limits;
    lists: Lists;
    mode: ThreadMode;
    movement: Movement;
    neighbours: Neighbours;
    outbox: Outbox;
    prefs: Prefs;
    presence: Presence;
    rows: Rows;
    savedViews: SavedViews;
    /** The names of the pages of settings that the admin may open. */
    settingsPages: string[];
    signedOutAt: string;
    sorts: Sorts;
    sortsByWait: string[];
    thread: OpenThread;
    totals: Totals;
  }
  interface Net {
    api: Api;
    call: Call;
    connection: Connection;
    connectionState: ConnectionState;
    heartbeat: Heartbeat;
    liveness: Liveness;
    now: () => number;
    tell: (name: string, data: object) => void;
  }
  interface Ui {
    alerts: Alerts;
    announce: (text: string) => void;
    bulk: { part: Bulk | null; get(): Promise<Bulk | null> };
    /** The changes of the open thread. */
    changes: LazyPane;
    customer: LazyPane;
    density: Density;
    dialog: Dialog;
    explain: LazyPane;
    follow: Follow;
    helpDialog: LazyPane;
    /** The pane of lists as they were; `past` while it is shown. */
    history: LazyPane;
    past: PastPane | null;
    firstSteps: LazyPane;
    keymap: Keymap;
    language: Language;
    layout: Layout;
    listPane: ListPane;
    notifier: Lazy<Notifier>;
    painter: Painter;
    palette: LazyPane;
    picks: Picks;
    presencePanels: PresencePanels;
    rowRefresh: RowRefresh;
    search: LazyPane;
    settings: Lazy<SettingsArea>;
    snooze: LazyPane;
    handOver: LazyPane;
    tagPicker: LazyPane;
    queueLine: Lazy<QueueLine>;
    /** Loaded once an open thread has a suggestion or a summary. */
    advice: Lazy<Advice>;
    /** Loaded once the server says that there are queues. */
    queues: Lazy<Queues>;
    splitter: Splitter;
    theme: Theme;
    threadPane: Lazy<ThreadPane>;
    unsentDialog: LazyPane;
    toasts: Toasts;
    viewDrag: { readonly id: string | null; press(event: PointerEvent): void; key(event: KeyboardEvent): void };
    viewEditor: LazyPane;
    /** Called at each painting of the list. */
    viewTold: () => void;
    handOverAll: LazyPane;
  }
  interface Acts {
    acting: Lazy<Acting>;
    actions: ThreadActions;
    finder: Pick<ThreadFinder, "showInList" | "nextUnread" | "leave">;
    finish: () => void;
    navigation: Navigation;
    open: (id: number, messageId?: number | null) => void;
    /** Shows a page of settings, or the list of them. */
    openSettings: (name?: string | null, search?: string) => Promise<void>;
    undoing: Undoing;
    unsent: Lazy<Unsent>;
    toTop: () => void;
    /** Focuses the composer: "reply" or "note". */
    write: (kind: string) => void;
  }
  /** The groups that main.js hands over. A member exists once main.js has built it. */
  interface Page { data: Data; net: Net; ui: Ui; acts: Acts }
  /** What a form needs of the area that shows it. */
  type FormArea = { root: HTMLElement; paint(): void };
  type MovementOptions = Pick<Data, "hold" | "lists"> & Pick<Net, "now"> & Pick<Ui, "painter" | "announce" | "language">;
  type NeighboursOptions = Pick<Data, "lists" | "thread">;
  type ReadingOptions = Pick<Data, "adminId"> & {
    thread: Pick<OpenThread, "seenId" | "shownId" | "state" | "messages">;
  };
  type SendGuardOptions = { reading: Pick<Reading, "unread" | "seenId">; writers: {
    of(threadId: number): Viewer[];
    look(threadId: number | null): void;
  }; assigneeOf(threadId: number): Person | null | undefined };
  type WritersOptions = { presence: Pick<Presence, "others">; now(): number };
  type QueryFieldOptions = Pick<Net, "api"> & Pick<Ui, "language"> & { changed(): void } & {
    id: string;
    typed(text: string): void;
    entered?(): void;
    completion?: Completion;
    begins?: boolean;
  };
  type QueryFieldLook = {
    label: string;
    placeholder?: string;
    className?: string;
    describedBy?: string;
    /** The id of the list of results, and of the one that Enter opens. */
    controls?: string;
    active?: string;
    key?(event: KeyboardEvent): void;
  };
  type FiltersOptions = Pick<Ui, "language"> & { changed(): void } & {
    valuesOf(field: string): Promise<string[]>;
    write(text: string): void;
  };
  type MatchesOptions = {
    ask(threadId: number, query: string): Promise<{
      matches: { id: number; at: number; marks: [number, number][] }[]; total: number;
    }>;
    show(messageId: number): void;
    changed(): void;
    timers?: Timers;
  };
  type Acting = {
    undoing: Undoing; actions: ThreadActions; colleagueActions: ColleagueActions;
    ownState(page: Page): Content;
  };
  type TagShare = "all" | "some" | "none";
  type TagChanges = { add: string[]; remove: string[] };
  type VisibleRowsOptions = Pick<Data, "lists" | "thread" | "rows" | "presence">;
  /** The number of threads on a list; isCurrent: it was read since the list is shown. */
  type CountedList = { view: string; total: number; isCurrent: boolean };
  type ViewChange = { was?: SavedView; now?: SavedView; own?: boolean };
  type SavedViewsOptions = {
    ask(): Promise<{ views: SavedView[] }>;
    send(ids: string[]): Promise<unknown>;
    named(id: string, name: string): void;
    changed(changes: ViewChange[]): void;
    refused(error: Error): void;
    timers?: Timers;
    random?: () => number;
  };

  type FetcherOptions = {
    load(ids: number[]): Promise<{ rows: Row[]; missing: number[] }>;
    take(rows: Row[], asOf: number): void;
    mark(): number;
    batchMax: number;
    now?: () => number;
    timers?: Timers;
    random?: () => number;
  };
  type ListsOptions = {
    call: Call;
    rows: Rows;
    fetcher: Pick<Fetcher, "want" | "forgetMissing">;
    limits: Limits;
    mayMove(): boolean;
    changed(): void;
    archived(list: ListName, asked: Asked): Promise<ArchiveAnswer>;
    now?: () => number;
    timers?: Timers;
    random?: () => number;
  };
  /** The requested part of the archive: threads after a position, or only these threads. */
  type Asked = { after?: [score: number, id: number]; limit?: number; ids?: number[] };
  type ArchiveOptions = {
    load(asked: Asked): Promise<ArchiveAnswer>;
    isLive(id: number): boolean;
    /** Whether the order on screen is held. */
    isHeld(): boolean;
    take(rows: Row[]): void;
    changed(): void;
    now?: () => number;
    timers?: Timers;
  };
  type SyncOptions = {
    list: ListName;
    call: Call;
    moreMax: number;
    listener: {
      /** Called before a change. */
      before(frame?: Frame): void;
      /** Called with a new order. */
      reset(answer: OpenAnswer): void;
      applied(answer: Frame, changes: Change[]): void;
      /** Called after the head grew at its end. */
      extended(): void;
      /** Called after `state` or `problem` has changed. */
      state(): void;
    };
    now?: () => number;
    timers?: Timers;
    random?: () => number;
  };
  type ListingOptions = {
    list: ListName;
    rows: Rows;
    /** Whether the order on screen may change now. */
    mayMove(): boolean;
    forgetMissing?: (id: number) => void;
    archive?: Archive | null;
  };
  /** The time that the slider over a past list shows: [from, to], in steps of `step` ms; `last` is the last step. */
  type PastSpan = { name: string; from: number; to: number; step: number; last: number };
  /** A step in which a list changed: its number, how often, and the moments of the first and the last change. */
  type PastMark = [number: number, count: number, first: number, last: number];
  /** A list as it was: the part that was read, and the position after which more follow. */
  type PastPart = {
    at: number; ids: number[]; rows: Map<number, Row>; total: number; next: [score: number, id: number] | null;
  };
  type PastListOptions = {
    ask(asked: { at: number; after?: [score: number, id: number]; limit?: number }): Promise<{
      ids: number[]; rows: Row[]; total: number; next: [score: number, id: number] | null; since: number;
    }>;
    /** Reads the marks after `from` and by `to`. */
    marksOf(part: { from: number; to: number }, steps: number): Promise<{ counts: PastMark[] }>;
    /** Called with the moment that is shown now. */
    loaded(at: number): void;
    changed(): void;
    now(): number;
    timers?: Timers;
  };
  type PrefsOptions = {
    kept: Partial<Preferences>;
    send(changes: Partial<Preferences>): Promise<unknown>;
    timers?: Timers;
  };
  type PresenceOptions = {
    call: Call;
    adminId: number;
    watchMax: number;
    changed(): void;
    now?: () => number;
    timers?: Timers;
  };
  type SearchOptions = {
    ask(query: string, limit: number, cursor: string | null): Promise<{
      results: Found[]; next: string | null; total: number; whole: boolean;
    }>;
    changed(): void;
    limit?: number;
    timers?: Timers;
  };
  type Found = {
    row: Row;
    message?: { id: number; at: number; private: boolean; excerpt: string; marks?: [number, number][] };
  };
  type DraftsOptions = {
    storage: TextStorage;
    adminId: number;
    changed?: () => void;
    now?: () => number;
    clock?: () => number;
    channel?: { postMessage(message: object): void; onmessage: any } | null;
    newId: () => string;
  };
  /** The composer, as seen by drafts. */
  type DraftWriter = {
    isTouched(threadId: number): boolean;
    save(threadId?: number): void;
    show(threadId: number): void;
  };
  /** A file that was uploaded for a message. */
  type KeptFile = {
    id: string; name: string; type: string; size: number; private: boolean; at: number;
  };
  type UploadItem = Omit<KeptFile, "id"> & {
    key: string;
    id: string | null;
    state: "waiting" | "sending" | "done" | "failed" | "refused";
    /** The uploaded part, from 0 to 1. */
    part: number;
    problem: any;
    file: File | null;
    abort: AbortController | null;
  };
  type UploadsOptions = {
    send(threadId: number, file: File, more: {
      progress(part: number): void; signal: AbortSignal;
    }): Promise<{ file: { id: string; name: string; type: string; size: number } }>;
    discard(id: string): void;
    kept(threadId: number, files: KeptFile[]): void;
    changed(threadId: number): void;
    limits: Pick<Limits, "file_bytes" | "message_files">;
    now?: () => number;
  };
  type Draft = {
    body: string;
    private: boolean;
    /** The text of the other kind: the note beside a reply, or the other way round. */
    aside: string;
    /** The newest message that counted as read when the draft began. */
    seen: number | null;
    at?: number;
    /** Uploaded files, of replies and notes. */
    files: KeptFile[];
    /** The tokens of a reply and of a note that were taken back, but may have been sent. */
    token: string | null; noteToken?: string | null;
    /** The id of the suggestion that was taken over into the text. */
    suggestion?: number;
  };
  type OutboxItem = {
    /** The id of the suggestion that was taken over into the text. */
    suggestion?: number;
    files?: KeptFile[];
    token: string;
    threadId: number;
    /** The place in the line of unsent replies. */
    number?: number;
    body: string;
    private: boolean;
    /** The newest message that the admin had seen. */
    seen: number | null;
    confirm: boolean;
    at: number;
    state: "sending" | "failed" | "moved" | "signed-out";
    problem: "network" | { code: string; detail: string } | null;
    unseen: Message[];
    tries: number;
    triedAt: number;
    /** Whether a try has failed. */
    failed: boolean;
    /** The state that the admin was told last. */
    told?: string;
    /** The next step: "stay", "done" (closes the thread), "next"; null like "stay". */
    after: string | null;
    /** Ids of people named in a note. */
    mentions?: number[];
  };
  type OutboxOptions = {
    send(item: OutboxItem): Promise<{ message: Message }>;
    /** Returns a new token. */
    token(): string;
    changed(): void;
    sent(item: OutboxItem, message: Message): void;
    moved(item: OutboxItem): void;
    /** Called with a reply that was not sent: refused, held, or without a connection. */
    stopped?: (item: OutboxItem) => void;
    /** Whether the browser has a network. */
    online?: () => boolean;
    storage?: TextStorage | null;
    adminId: number;
    now?: () => number;
    clock?: () => number;
    timers?: Timers;
    random?: () => number;
  };
  type ThreadModeOptions = {
    tell: Net["tell"];
    /** Whether a colleague can see the cursor. */
    watched(threadId: number): boolean;
    now?: () => number;
    timers?: Timers;
  };
  type OpenThreadOptions = {
    call: Call;
    rows: Rows;
    adminId?: number;
    part(id: number, where: string | null, messageId: number | null): Promise<{
      messages: Message[]; acts?: Act[]; more: boolean; later: boolean;
    }>;
    changed(): void;
    joined?: (id: number, viewers: Viewer[]) => void;
    left?: () => void;
  };
  /** The storage of Drafts and Outbox. */
  type TextStorage = Pick<SealedStorage, "keys" | "getItem" | "setItem" | "removeItem">
    & Partial<Pick<SealedStorage, "refresh" | "isCurrent">>;
  type ConnectionOptions = {
    on: ConnectionEvents;
    protocol: number;
    now?: () => number;
    device?: string | null;
    type?: string | null;
    report?: (() => object) | null;
    transports?: any[];
  };
  type LivenessOptions = {
    connection: { connected: boolean; heardAt: number };
    ask(): Promise<unknown>;
    changed(): void;
    now(): number;
    page?: { visibilityState: string };
    timers?: { setInterval(run: () => void, ms: number): any };
  };
  /** Keeps values under names while a tab is reloaded. */
  type TabMemory = { read(name: string): any; write(name: string, value: unknown): void };
  type Unsent = {
    outbox: Outbox;
    drafts: Drafts;
    tab: TabMemory;
    showSessionEnd(t: Translate, reason: string | null): void;
    /** The list of unsent texts. */
    dialog: UnsentDialog;
    /** The entries in the left column. */
    counts(): { draft: number; unsent: number };
    markOf(threadId: number): string;
  };
  type SealedStorageOptions = {
    storage: Pick<Storage, "getItem" | "setItem" | "removeItem">;
    prefix: string;
    key: string;
    crypto?: Crypto;
  };
  type HeartbeatOptions = {
    tell: Net["tell"];
    focused(focused: boolean): void;
    /** Called when the page is closed. */
    left(): void;
    now?: () => number;
    window?: Window;
  };
  type PointerOptions = {
    root: HTMLElement;
    hold: Hold;
    now(): number;
    pressed(id: number, event: PointerEvent): void;
    pressedLong(id: number): void;
    changed(): void;
  };
  type ScrollerOptions = {
    root: HTMLElement;
    /** Called when the person scrolled, not a script. */
    scrolled(): void;
    resized(): void;
  };
  type DialogOptions = { element: HTMLDialogElement; text(): Translate };
  /** A part of a query: a condition, conditions in parentheses, or a word of a search. */
  type QueryPart = {
    kind: "term" | "group" | "word";
    /** Its place in the text: [start, end). */
    start: number;
    end: number;
    field?: string;
    isNot?: boolean;
    /** The values as written. */
    values?: string[];
  };
  type QueryFilter = { field: string; term: QueryPart | null; values: string[] };
  type QueryMistake = {
    /** The wrong part: [at, end). */
    at: number;
    end: number;
    expected: string[];
    /** Whether the text has too many characters. */
    isLong: boolean;
    /** The member of the request that holds the query. */
    pointer: string;
  };
  type SortRule = { when: string; by: string; order: string; split?: string | null };
  type EditedRule = SortRule & { key: number };
  type SortChange = { was?: SavedSort; now?: SavedSort };
  type SortsOptions = {
    builtIn: string[];
    ask(): Promise<{ sorts: SavedSort[] }>;
    named(name: string, title: string): void;
    changed(changes: SortChange[]): void;
    choose(): void;
    timers?: Timers;
  };
  type SortRuleOptions = Pick<Ui, "language"> & {
    rule: EditedRule;
    /** The rule's place from 0, and the number of rules. */
    at: number;
    count: number;
    field: QueryField;
    wrong: string;
    change(changes: Partial<SortRule>): void;
    move(to: number): void;
    remove(): void;
    drag(event: PointerEvent): void;
  };
  type QueryCheckOptions = {
    ask(text: string): Promise<{ total: number | null }>;
    right(text: string, isTyped: boolean): void;
    changed(): void;
    timers?: Timers;
  };
  type CompletionOptions = {
    /** at: characters before the cursor. */
    ask(text: string, at: number): Promise<{ suggestions: Suggestion[] }>;
    changed(): void;
    timers?: Timers;
  };
}
