// What the classes and templates of ui/ are given. main.js builds each part once.

import type { Alerts } from "../ui/shell/alerts.js";
import type { Api } from "../net/api.js";
import type { Archive } from "../core/list/archive.js";
import type { Attaching } from "../ui/thread/files.js";
import type { Bulk } from "../ui/list/bulk.js";
import type { Canned } from "../ui/thread/completion.js";
import type { Completion } from "../core/query/completion.js";
import type { ColleagueActions } from "../ui/thread/actions.js";
import type { Connection } from "../net/socket.js";
import type { ConnectionState } from "../ui/shell/connection-state.js";
import type { Density } from "../ui/shell/layout.js";
import type { Dialog } from "../ui/elements/dialog.js";
import type { Drafts } from "../core/thread/drafts.js";
import type { Found as FoundBar } from "../ui/thread/matches.js";
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
import type { MentionCompletion } from "../ui/thread/completion.js";
import type { MentionReader } from "../ui/thread/mention-reader.js";
import type { Movement } from "../core/list/hold.js";
import type { Navigation } from "../ui/shell/navigation.js";
import type { Notifier } from "../ui/shell/notifier.js";
import type { OpenThread } from "../core/thread/thread.js";
import type { Outbox } from "../core/thread/outbox.js";
import type { Painter } from "../ui/elements/painter.js";
import type { Picks } from "../ui/list/picks.js";
import type { Prefs } from "../core/prefs.js";
import type { Presence } from "../core/presence.js";
import type { PresencePanels } from "../ui/presence/panels.js";
import type { Reading } from "../core/thread/reading.js";
import type { SendGuard } from "../core/thread/reading.js";
import type { Replies } from "../ui/thread/pane.js";
import type { RowLook } from "../ui/list/row-look.js";
import type { RowRefresh } from "../ui/list/follow.js";
import type { QueryField } from "../ui/query/field.js";
import type { Rows } from "../core/list/rows.js";
import type { Selection } from "../ui/list/picks.js";
import type { SavedViews } from "../core/list/saved-views.js";
import type { Settings } from "../ui/dialogs/settings.js";
import type { Sorts } from "../core/query/sorts.js";
import type { Splitter } from "../ui/shell/layout.js";
import type { Tabs } from "../net/tabs.js";
import type { Theme } from "../ui/shell/layout.js";
import type { ThreadActions } from "../ui/thread/actions.js";
import type { QueueLine } from "../ui/shell/banner.js";
import type { ThreadFinder } from "../ui/list/thread-finder.js";
import type { ThreadMode } from "../core/thread/thread-mode.js";
import type { ThreadPane } from "../ui/thread/pane.js";
import type { Toasts } from "../ui/elements/toasts.js";
import type { Arrivals } from "../app/acting.js";
import type { Undoing } from "../ui/thread/undoing.js";
import type { FilterTotals, Totals } from "../core/totals.js";
import type { Order } from "../core/list/order.js";
import type { UnsentDialog } from "../app/unsent.js";
import type { TemplateResult } from "lit-html";

declare global {
  /** Sends a Socket.IO event; resolves to the answer, rejects with CallError. */
  type Call = (name: string, data: object) => Promise<any>;
  type Translate = ReturnType<typeof import("../core/i18n.js").translator>;
  type ListOrder = Order;
  type ListArchive = Archive;
  /** What times are said with. */
  type TimeGiven = {
    t: Translate;
    words: ReturnType<typeof import("../core/time.js").timeWords>;
    now: number;
    adminId?: number;
  };
  /** What a template may hold. */
  type Content = TemplateResult<1> | TemplateResult<1>[] | string;
  /** Indexes: the first, and one past the last. */
  type Range = { first: number; end: number };
  /** A choice in the palette's place; `isCurrent`: what is chosen now. */
  type PaletteChoice = { label: string; entries: () => any[] };
  type Command = { text: string; also?: string; keys: string; run: () => void };
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

  /** Every part by the name under which it is passed. */
  interface Parts {
    acting: Lazy<Acting>;
    actions: ThreadActions;
    admin: Admin;
    adminId: number;
    alerts: Alerts;
    announce: (text: string) => void;
    api: Api;
    at: (id: string) => HTMLElement;
    back: () => void;
    bodyMax: number;
    bulk: { part: Bulk | null; get(): Promise<Bulk | null> };
    call: Call;
    canned: Canned;
    cannedDialog: LazyPane;
    changed: () => void;
    choices: Choices;
    clear: (reason: string | null) => void;
    commands: () => Command[];
    connection: Connection;
    connectionState: ConnectionState;
    customer: LazyPane;
    density: Density;
    dialog: Dialog;
    drafts: Drafts;
    element: HTMLDialogElement;
    explain: LazyPane;
    finder: Pick<ThreadFinder, "showInList" | "nextUnread">;
    finish: () => void;
    focusList: () => void;
    follow: Follow;
    goFilter: (filter: string) => void;
    goList: (list: ListName) => void;
    goView: (view: string) => void;
    guard: SendGuard;
    heartbeat: Heartbeat;
    helpDialog: LazyPane;
    firstSteps: LazyPane;
    hold: Hold;
    icon: HTMLLinkElement;
    idsMax: number;
    isEnded: () => boolean;
    keymap: Keymap;
    language: Language;
    layout: Layout;
    limits: Limits;
    list: HTMLElement;
    listPane: ListPane;
    lists: Lists;
    liveness: Liveness;
    loadCanned: () => Promise<CannedReply[]>;
    mode: ThreadMode;
    movement: Movement;
    navigation: Navigation;
    neighbours: Neighbours;
    nextTo: (id: number) => number | null;
    notifier: Lazy<Notifier>;
    now: () => number;
    open: (id: number, messageId?: number | null) => void;
    openCanned: () => void;
    found: FoundBar;
    openFound: (result: Found, query: string) => void;
    openResult: (result: Found, query: string) => void;
    openSearch: (query: string) => void;
    openThread: (id: number) => void;
    outbox: Outbox;
    painter: Painter;
    palette: LazyPane;
    panel: HTMLElement;
    picks: Picks;
    posted: () => void;
    prefs: Prefs;
    presence: Presence;
    presencePanels: PresencePanels;
    priorities: string[];
    reading: Reading;
    replied: () => void;
    replies: Replies;
    root: HTMLElement;
    rowLook: RowLook;
    rowRefresh: RowRefresh;
    rows: Rows;
    search: LazyPane;
    savedViews: SavedViews;
    selection: Selection;
    settings: Settings;
    settingsDialog: LazyPane;
    snooze: LazyPane;
    handOver: LazyPane;
    tagPicker: LazyPane;
    queueLine: QueueLine;
    showInList: (options?: { quiet?: boolean }) => Promise<void>;
    signedOut: () => void;
    signedOutAt: string;
    shown: (painted: { seen: Range; ids: number[]; end: number }) => void;
    sorts: Sorts;
    sortsByWait: string[];
    sortsDialog: LazyPane;
    calendarsDialog: LazyPane;
    policiesDialog: LazyPane;
    splitter: Splitter;
    tabs: Tabs;
    takeBack: (item: OutboxItem) => void;
    takenBack: (item: OutboxItem) => void;
    tell: (name: string, data: object) => void;
    theme: Theme;
    thread: OpenThread;
    threadPane: Lazy<ThreadPane>;
    undoing: Undoing;
    unsent: Lazy<Unsent>;
    unsentDialog: LazyPane;
    toEnd: () => void;
    toTop: () => void;
    toasts: Toasts;
    totals: Totals;
    filterTotals: FilterTotals;
    viewDrag: { readonly id: string | null; press(event: PointerEvent): void };
    viewEditor: LazyPane;
    viewsDialog: LazyPane;
    /** Called at each painting of the list. */
    viewTold: () => void;
    views: string[];
    walk: (step: number) => void;
    /** Goes to the composer: "reply" or "note". */
    write: (kind: string) => void;
  }

  type AlertsParts = Pick<Parts,
    | "icon" | "totals" | "prefs" | "presence" | "lists" | "language" | "unsent" | "notifier"
    | "now">;
  type BannerParts = Pick<Parts,
    | "connectionState" | "connection" | "liveness" | "lists" | "presence" | "language" | "picks"
    | "bulk">;
  type BulkParts = Pick<Parts,
    | "picks" | "lists" | "api" | "rows" | "dialog" | "toasts" | "painter" | "language"
    | "undoing" | "priorities" | "idsMax" | "snooze" | "handOver" | "tagPicker" | "now">;
  type CannedDialogParts = Pick<Parts, "dialog" | "api" | "language" | "loadCanned" | "limits">;
  type CannedParts = Pick<Parts, "api" | "thread" | "admin" | "now" | "painter" | "language">;
  type ColleagueActionsParts = Pick<Parts,
    | "alerts" | "toasts" | "language" | "adminId" | "now">;
  type CommandParts = Pick<Parts,
    | "thread" | "navigation" | "movement" | "picks" | "finder" | "search" | "presencePanels"
    | "helpDialog" | "cannedDialog" | "settingsDialog" | "settings" | "density" | "admin"
    | "acting" | "finish" | "customer" | "explain" | "write" | "toTop" | "choices"
    | "keymap" | "language" | "unsentDialog" | "threadPane" | "savedViews" | "viewsDialog"
    | "viewEditor" | "lists" | "sortsDialog" | "sorts" | "calendarsDialog"
    | "policiesDialog" | "snooze" | "handOver" | "tagPicker"> & {
      snoozing?: { commands(): Command[] };
    };
  type ComposerParts = Pick<Parts,
    | "root" | "thread" | "drafts" | "replies" | "canned" | "mode" | "hold" | "prefs" | "now"
    | "painter" | "language" | "bodyMax" | "reading" | "guard"> & {
      attaching: Attaching; mentions: MentionCompletion;
    };
  type ConnectionStateParts = Pick<Parts,
    | "connection" | "api" | "lists" | "thread" | "presence" | "unsent" | "alerts" | "painter"
    | "announce" | "language" | "now" | "clear" | "toasts">;
  type CursorsParts = Pick<Parts, "presence" | "thread" | "mode" | "painter" | "language">;
  type CustomerDeletionParts = Pick<Parts,
    "api" | "admin" | "dialog" | "toasts" | "thread" | "painter" | "language">;
  type CustomerPanelParts = CustomerDeletionParts & Pick<Parts,
    "root" | "rows" | "now" | "open" | "focusList">;
  type AboutParts = Pick<Parts,
    "lists" | "savedViews" | "search" | "viewEditor" | "admin" | "language">;
  type EmptyParts = AboutParts & Pick<Parts, "navigation">;
  type EventParts = Pick<Parts,
    | "lists" | "totals" | "painter" | "rowRefresh" | "alerts" | "connectionState" | "thread"
    | "presence" | "presencePanels" | "heartbeat" | "acting" | "notifier" | "threadPane"
    | "savedViews" | "sorts" | "filterTotals" | "queueLine">;
  type ListHintParts = Pick<Parts, "lists" | "prefs" | "painter" | "language"> & {
    hidden?(): boolean;
    timers?: Timers;
  };
  type FilterTotalsParts = Pick<Parts, "lists" | "call" | "totals"> & { timers?: Timers };
  type FollowParts = Pick<Parts,
    | "lists" | "thread" | "prefs" | "now" | "painter" | "language" | "showInList">;
  type HeaderParts = Pick<Parts,
    | "lists" | "totals" | "picks" | "bulk" | "hold" | "movement" | "navigation" | "choices"
    | "keymap" | "toTop" | "now" | "language" | "connectionState" | "liveness" | "search" | "admin" | "sortsDialog"
    | "policiesDialog" | "sorts">;
  type SortChoiceParts = Pick<Parts,
    "choices" | "lists" | "navigation" | "palette" | "keymap" | "language">;
  type HelpDialogParts = Pick<Parts, "dialog" | "keymap" | "settings" | "language">;
  type LayoutParts = Pick<Parts, "picks" | "search" | "painter" | "focusList">;
  type ListPaneParts = Pick<Parts,
    | "root" | "lists" | "hold" | "movement" | "density" | "picks" | "rowLook" | "now" | "painter"
    | "neighbours" | "shown" | "open">;
  type MessagesPaneParts = Pick<Parts,
    | "root" | "thread" | "outbox" | "replies" | "reading" | "found" | "connectionState" | "adminId"
    | "now" | "painter" | "language"> & { mentions: MentionReader };
  type MentionCompletionParts = Pick<Parts,
    "api" | "thread" | "adminId" | "presence" | "now" | "painter" | "language">;
  type MentionReaderParts = Pick<Parts, "adminId" | "toasts" | "painter" | "language"> & {
    api: Pick<Api, "readMentions" | "unreadMention">;
    thread: Pick<OpenThread, "id" | "state" | "mentioned" | "messages" | "mentionsRead" | "show">;
    looked(): boolean;
  };
  type MovementParts = Pick<Parts, "hold" | "lists" | "now" | "painter" | "announce" | "language">;
  type NavParts = Pick<Parts,
    | "lists" | "totals" | "navigation" | "choices" | "search" | "palette" | "settingsDialog"
    | "helpDialog" | "connectionState" | "connection" | "liveness" | "acting" | "admin" | "presence"
    | "presencePanels" | "now" | "language" | "unsent" | "unsentDialog" | "sorts"> & NavViewsParts;
  type NavViewsParts = Pick<Parts,
    | "savedViews" | "viewsDialog" | "viewDrag" | "lists" | "totals" | "navigation" | "painter"
    | "announce" | "language">;
  type NavigationParts = Pick<Parts,
    | "lists" | "thread" | "prefs" | "picks" | "hold" | "layout" | "search" | "painter"
    | "language" | "announce" | "changed" | "showInList" | "choices" | "neighbours" | "savedViews"
    | "toasts">;
  type NeighboursParts = Pick<Parts, "lists" | "thread">;
  type OnlinePanelParts = Pick<Parts, "api" | "now" | "painter" | "language" | "open">;
  type PaletteParts = Pick<Parts,
    | "element" | "commands" | "api" | "rows" | "painter" | "language" | "openThread"
    | "openFound" | "openSearch">;
  type PicksParts = Pick<Parts,
    | "selection" | "lists" | "thread" | "hold" | "walk" | "announce" | "language" | "painter">;
  type PresencePanelsParts = Pick<Parts,
    | "presence" | "thread" | "mode" | "api" | "call" | "admin" | "now" | "painter" | "toasts"
    | "language" | "open" | "limits"> & { handOverAll: { open(from: Person): unknown } };
  type HandOverAllParts = Pick<Parts,
    | "api" | "presence" | "dialog" | "acting" | "admin" | "toasts" | "announce" | "language">;
  type RepliesParts = Pick<Parts,
    | "thread" | "outbox" | "api" | "actions" | "toasts" | "language" | "posted" | "takenBack"
    | "toEnd">;
  type ReadingParts = Pick<Parts, "adminId"> & {
    thread: Pick<OpenThread, "seenId" | "shownId" | "state" | "messages">;
  };
  type SendGuardParts = { reading: Pick<Reading, "unread" | "seenId">; writers: {
    of(threadId: number): Viewer[];
    look(threadId: number | null): void;
  } };
  type WritersParts = { presence: Pick<Presence, "others">; now(): number };
  type NotifierParts = Pick<Parts,
    | "lists" | "rows" | "thread" | "totals" | "api" | "call" | "icon" | "prefs" | "language"
    | "now" | "goView" | "open" | "toasts" | "announce"> & {
      tabs(): Tabs; quiet(): boolean; chime(): void; goOwn(): void;
    };
  type OpenNotifierParts = Omit<NotifierParts, "tabs" | "quiet" | "chime"> & Pick<Parts,
    "adminId" | "alerts" | "connection">;
  type UnsentDialogParts = Pick<Parts,
    | "dialog" | "unsent" | "rows" | "api" | "now" | "painter" | "language" | "open"
    | "takeBack">;
  type RowLookParts = Pick<Parts,
    | "lists" | "thread" | "presence" | "picks" | "unsent" | "language"
    | "adminId" | "sortsByWait">;
  type RowRefreshParts = Pick<Parts,
    | "thread" | "lists" | "rows" | "api" | "now" | "painter" | "isEnded">;
  type SearchPaneParts = Pick<Parts,
    | "root" | "layout" | "thread" | "rows" | "api" | "now" | "painter" | "language"
    | "openResult" | "lists" | "navigation" | "savedViews" | "choices" | "focusList"> & { left(): void };
  type ResultListParts = Pick<Parts, "rows" | "thread" | "now" | "language"> & {
    results: Found[];
    /** The index of the one that Enter opens. */
    active: number;
    choose(index: number): void;
    scrolled(list: HTMLElement): void;
  };
  type QueryFieldParts = Pick<Parts, "api" | "language" | "changed"> & {
    id: string;
    typed(text: string): void;
    entered?(): void;
    completion?: Completion;
  };
  type QueryFieldLook = {
    label: string;
    placeholder?: string;
    className?: string;
    describedBy?: string;
    /** The list of results, and the one in it that Enter opens. */
    controls?: string;
    active?: string;
    key?(event: KeyboardEvent): void;
  };
  type FiltersParts = Pick<Parts, "language" | "changed"> & {
    valuesOf(field: string): Promise<string[]>;
    write(text: string): void;
  };
  type FoundParts = Pick<Parts,
    | "root" | "thread" | "api" | "painter" | "language" | "announce"> & { messages: HTMLElement };
  type MatchesParts = {
    ask(threadId: number, query: string): Promise<{
      matches: { id: number; at: number; marks: [number, number][] }[]; total: number;
    }>;
    show(messageId: number): void;
    changed(): void;
    timers?: Timers;
  };
  type SettingsDialogParts = Pick<Parts,
    | "dialog" | "settings" | "theme" | "density" | "prefs" | "keymap" | "alerts" | "admin"
    | "language" | "openCanned" | "views" | "call" | "toasts" | "calendarsDialog" | "policiesDialog"
    | "api" | "now">;
  type SettingsParts = Pick<Parts,
    | "prefs" | "theme" | "keymap" | "alerts" | "api" | "painter" | "toasts" | "language"
    | "signedOut" | "signedOutAt">;
  type SplitterParts = Pick<Parts, "element" | "panel" | "list" | "prefs" | "language">;
  type TeamPanelParts = Pick<Parts,
    | "api" | "call" | "presence" | "admin" | "now" | "painter" | "toasts" | "language" | "open"
    | "limits"> & Pick<PresencePanelsParts, "handOverAll">;
  type TestApiParts = Pick<Parts, "lists" | "hold" | "now">;
  type ThreadActionsParts = Pick<Parts,
    | "thread" | "lists" | "rows" | "api" | "toasts" | "painter" | "language" | "admin"
    | "undoing" | "now" | "nextTo" | "open">;
  type Acting = {
    undoing: Undoing; actions: ThreadActions; colleagueActions: ColleagueActions;
    ownState(parts: OwnStateParts): Content;
  };
  type OwnStateParts = Pick<Parts, "admin" | "presence" | "presencePanels" | "language">;
  type ActingParts = Omit<ThreadActionsParts, "undoing">
    & Pick<Parts, "announce" | "alerts" | "adminId">;
  type UndoingParts = Pick<Parts,
    | "api" | "rows" | "toasts" | "painter" | "language" | "now">;
  type ThreadFinderParts = Pick<Parts,
    | "lists" | "thread" | "listPane" | "rows" | "api" | "prefs" | "toasts" | "language"
    | "neighbours" | "open" | "goList">;
  type FinderParts = Omit<ThreadFinderParts, "goList"> & Pick<Parts, "navigation">;
  type ThreadHeadParts = Pick<Parts,
    | "thread" | "presence" | "actions" | "explain" | "customer" | "adminId" | "back" | "finish"
    | "showInList" | "priorities" | "now" | "language" | "snooze" | "handOver"
    | "tagPicker" | "admin">;
  type QueueLineParts = Pick<Parts, "admin" | "painter" | "now" | "language" | "goList"> & {
    timers?: { setInterval(run: () => void, ms: number): unknown };
  };
  type HandOverParts = Pick<Parts,
    | "element" | "api" | "thread" | "picks" | "bulk" | "acting" | "presence" | "admin" | "limits"
    | "rows" | "toasts" | "language">;
  type TagPickerParts = Pick<Parts,
    | "element" | "api" | "thread" | "picks" | "bulk" | "acting" | "rows" | "limits" | "language">;
  type TagShare = "all" | "some" | "none";
  type TagChanges = { add: string[]; remove: string[] };
  type SnoozeBarParts = Pick<Parts, "thread" | "actions" | "snooze" | "adminId" | "now" | "language">;
  type SnoozeMenuParts = Pick<Parts,
    | "element" | "dialog" | "thread" | "picks" | "bulk" | "acting" | "lists" | "rows" | "now" | "language"
    | "limits" | "toasts">;
  type OwnMomentParts = Pick<Parts, "dialog" | "now" | "limits" | "language"> & {
    zone(): string;
    snooze(until: number, wakes: boolean): void;
  };
  type ThreadPaneParts = Pick<Parts,
    | "announce" | "at" | "replied" | "connectionState" | "thread" | "outbox" | "drafts" | "mode" | "hold" | "prefs" | "presence"
    | "api" | "admin" | "adminId" | "actions" | "explain" | "customer" | "back" | "finish"
    | "showInList" | "priorities" | "bodyMax" | "now" | "painter" | "toasts" | "language" | "snooze" | "handOver"
    | "tagPicker" | "limits">;
  type PrintoutParts = Pick<Parts, "thread" | "api" | "announce" | "adminId" | "now" | "language">;
  type VerbParts = Pick<Parts,
    | "navigation" | "layout" | "movement" | "listPane" | "picks" | "finder" | "thread" | "search"
    | "palette" | "helpDialog" | "customer" | "explain" | "finish" | "write" | "toTop" | "bulk"
    | "acting" | "threadPane" | "viewsDialog" | "sorts" | "snooze" | "handOver" | "tagPicker">;
  type ViewDragParts = Pick<Parts, "savedViews" | "painter" | "announce" | "language">;
  type ViewEditorParts = Pick<Parts,
    | "dialog" | "api" | "savedViews" | "navigation" | "lists" | "admin" | "choices" | "limits"
    | "language" | "announce">;
  type ViewsDialogParts = Pick<Parts,
    | "dialog" | "savedViews" | "viewEditor" | "totals" | "lists" | "navigation" | "admin"
    | "painter" | "language">;
  type ViewsChangedParts = Pick<Parts,
    | "lists" | "navigation" | "alerts" | "painter" | "toasts" | "announce" | "language">;
  type StartViewsParts = Pick<Parts, "api" | "language" | "toasts"> & {
    boot: { views: string[]; saved_views: SavedView[] };
    parts(): ViewsChangedParts;
  };
  type VisibleRowsParts = Pick<Parts, "lists" | "thread" | "rows" | "presence">;
  type ExplainParts = Pick<Parts, "thread" | "lists" | "api" | "now" | "language"> & {
    element: HTMLElement;
  };
  type DensityParts = { prefs: Prefs; changed: (fromPx: number) => void; root?: HTMLElement };
  type RegionParts = HeaderParts & NavParts & BannerParts & Pick<Parts,
    "painter" | "layout" | "splitter" | "follow" | "toasts" | "customer" | "dialog" | "listPane"
    | "rowRefresh" | "threadPane" | "thread" | "firstSteps" | "notifier" | "viewTold" | "filterTotals"
    | "prefs" | "handOver" | "tagPicker" | "queueLine">
    & AboutParts & EmptyParts;
  type FirstStepsParts = Pick<Parts,
    "lists" | "totals" | "navigation" | "painter" | "announce" | "language"
  > & { root: HTMLElement };
  type LazyPanesParts = Omit<CommandParts, "settings"> & Pick<Parts,
    "bulk" | "connectionState" | "totals" | "announce" | "connection" | "toasts" | "layout" | "rows" | "api" | "now" | "painter" | "open" | "focusList" | "lists" | "dialog"
    | "theme" | "prefs" | "alerts" | "limits" | "threadPane" | "unsent" | "presence" | "signedOutAt">;
  type ViewChange = { was?: SavedView; now?: SavedView; own?: boolean };
  type SavedViewsParts = {
    builtIn: string[];
    ask(): Promise<{ views: SavedView[] }>;
    send(ids: string[]): Promise<unknown>;
    named(id: string, name: string): void;
    changed(changes: ViewChange[]): void;
    refused(error: Error): void;
    timers?: Timers;
    random?: () => number;
  };

  type FetcherParts = {
    load(ids: number[]): Promise<{ rows: Row[]; missing: number[] }>;
    take(rows: Row[], asOf: number): void;
    mark(): number;
    batchMax: number;
    now?: () => number;
    timers?: Timers;
    random?: () => number;
  };
  type ListsParts = {
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
  /** Which part of the archive: what follows a position, or these threads alone. */
  type Asked = { after?: [score: number, id: number]; limit?: number; ids?: number[] };
  type ArchiveParts = {
    load(asked: Asked): Promise<ArchiveAnswer>;
    isLive(id: number): boolean;
    /** Whether the order on screen stands still. */
    isHeld(): boolean;
    take(rows: Row[]): void;
    changed(): void;
    now?: () => number;
    timers?: Timers;
  };
  type SyncParts = {
    list: ListName;
    call: Call;
    moreMax: number;
    listener: {
      /** Ahead of a change. */
      before(frame?: Frame): void;
      /** There is a new order. */
      reset(answer: OpenAnswer): void;
      applied(answer: Frame, changes: Change[]): void;
      /** The head grew at its end. */
      extended(): void;
      /** `state` or `problem` changed. */
      state(): void;
    };
    now?: () => number;
    timers?: Timers;
    random?: () => number;
  };
  type ListingParts = {
    list: ListName;
    rows: Rows;
    /** Whether the order on screen may change now. */
    mayMove(): boolean;
    forgetMissing?: (id: number) => void;
    archive?: Archive | null;
  };
  type PrefsParts = {
    kept: Partial<Preferences>;
    send(changes: Partial<Preferences>): Promise<unknown>;
    timers?: Timers;
  };
  type PresenceParts = {
    call: Call;
    adminId: number;
    watchMax: number;
    changed(): void;
    now?: () => number;
    timers?: Timers;
  };
  type SearchParts = {
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
  type DraftsParts = {
    storage: TextStorage;
    adminId: number;
    changed?: () => void;
    now?: () => number;
    clock?: () => number;
    channel?: { postMessage(message: object): void; onmessage: any } | null;
    newId: () => string;
  };
  /** The composer, as drafts know it. */
  type DraftWriter = {
    isTouched(threadId: number): boolean;
    save(threadId: number): void;
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
    /** How much of it is uploaded, from 0 to 1. */
    part: number;
    problem: any;
    file: File | null;
    abort: AbortController | null;
  };
  type UploadsParts = {
    send(threadId: number, file: File, more: {
      progress(part: number): void; signal: AbortSignal;
    }): Promise<{ file: { id: string; name: string; type: string; size: number } }>;
    discard(id: string): void;
    kept(threadId: number, files: KeptFile[]): void;
    changed(threadId: number): void;
    limits: Pick<Limits, "file_bytes" | "message_files">;
    now?: () => number;
  };
  type AttachingParts = Pick<Parts,
    "root" | "thread" | "drafts" | "api" | "limits" | "painter" | "announce" | "language">;
  type Draft = {
    body: string;
    private: boolean;
    /** The text of the other kind: of the note beside a reply, or the other way round. */
    aside: string;
    /** The newest message that counted as read when the draft began. */
    seen: number | null;
    at?: number;
    /** Uploaded files, of replies and notes. */
    files: KeptFile[];
    /** That of a reply which was taken back, and may have been sent all the same. */
    token: string | null;
  };
  type OutboxItem = {
    files?: KeptFile[];
    token: string;
    threadId: number;
    /** Its place in the line of replies that are not sent. */
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
    /** A try has failed. */
    failed: boolean;
    /** The state of which the admin was told last. */
    told?: string;
    /** What follows: "stay", "done" (the thread is closed), "next"; null like "stay". */
    after: string | null;
    /** Who is meant by names in a note. */
    mentions?: number[];
  };
  type OutboxParts = {
    send(item: OutboxItem): Promise<{ message: Message }>;
    /** A fresh token. */
    token(): string;
    changed(): void;
    sent(item: OutboxItem, message: Message): void;
    moved(item: OutboxItem): void;
    /** It was not sent: refused, held, or without a connection. */
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
  type ThreadModeParts = {
    tell: Parts["tell"];
    /** Whether a colleague is there to see the cursor. */
    watched(threadId: number): boolean;
    now?: () => number;
    timers?: Timers;
  };
  type OpenThreadParts = {
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
  /** What Drafts and Outbox keep texts in. */
  type TextStorage = Pick<SealedStorage, "keys" | "getItem" | "setItem" | "removeItem">
    & Partial<Pick<SealedStorage, "refresh" | "isCurrent">>;
  type ConnectionParts = {
    on: ConnectionEvents;
    protocol: number;
    now?: () => number;
    device?: string | null;
    type?: string | null;
    transports?: any[];
  };
  type LivenessParts = {
    connection: { connected: boolean; heardAt: number };
    ask(): Promise<unknown>;
    changed(): void;
    now(): number;
    page?: { visibilityState: string };
    timers?: { setInterval(run: () => void, ms: number): any };
  };
  type Unsent = {
    outbox: Outbox;
    drafts: Drafts;
    showSessionEnd(t: Translate, reason: string | null): void;
    /** The list of it. */
    dialogOf(parts: UnsentDialogParts): UnsentDialog;
    /** What the left column shows of it. */
    items(dialog: LazyPane): Content;
    markOf(threadId: number): string;
  };
  type UnsentParts = Pick<Parts,
    "adminId" | "thread" | "api" | "now" | "rows" | "toasts" | "language" | "open"> & {
    key: string;
    retry(): boolean;
    asks(): boolean;
    isReload(): boolean;
    acting: Parts["acting"];
    changed(): void;
  };
  type SealedStorageParts = {
    storage: Pick<Storage, "getItem" | "setItem" | "removeItem">;
    prefix: string;
    key: string;
    crypto?: Crypto;
  };
  type HeartbeatParts = {
    tell: Parts["tell"];
    focused(focused: boolean): void;
    /** The page is closed. */
    left(): void;
    now?: () => number;
    window?: Window;
  };
  type PointerParts = {
    root: HTMLElement;
    hold: Hold;
    now(): number;
    pressed(id: number, event: PointerEvent): void;
    pressedLong(id: number): void;
    changed(): void;
  };
  type ScrollerParts = {
    root: HTMLElement;
    /** The person scrolled, not a script. */
    scrolled(): void;
    resized(): void;
  };
  type DialogParts = { element: HTMLDialogElement; text(): Translate };
  /** A part of a query: a condition, conditions in parentheses, or a word of a search. */
  type QueryPart = {
    kind: "term" | "group" | "word";
    /** Its place in the text: [start, end). */
    start: number;
    end: number;
    field?: string;
    isNot?: boolean;
    /** As they are written. */
    values?: string[];
  };
  type QueryFilter = { field: string; term: QueryPart | null; values: string[] };
  type QueryMistake = {
    /** What is wrong: [at, end). */
    at: number;
    end: number;
    expected: string[];
    /** The text has too many characters. */
    isLong: boolean;
    /** The member of the request that the query is. */
    pointer: string;
  };
  type SortRule = { when: string; by: string; order: string; split?: string | null };
  type EditedRule = SortRule & { key: number };
  type SortChange = { was?: SavedSort; now?: SavedSort };
  type SortsParts = {
    builtIn: string[];
    ask(): Promise<{ sorts: SavedSort[] }>;
    named(name: string, title: string): void;
    changed(changes: SortChange[]): void;
    choose(): void;
    timers?: Timers;
  };
  type StartSortsParts = Pick<Parts, "api" | "language"> & {
    boot: { sorts: string[]; saved_sorts: SavedSort[]; sorts_by_wait: string[] };
    parts(): SortsChangedParts & SortChoiceParts;
  };
  type SortsChangedParts = Pick<Parts, "lists" | "navigation" | "painter">;
  type SortsDialogParts = Pick<Parts,
    | "dialog" | "api" | "rows" | "sorts" | "savedViews" | "lists" | "choices" | "language"
    | "announce">;
  type SortFormParts = Pick<Parts,
    | "dialog" | "api" | "rows" | "savedViews" | "lists" | "choices" | "language"> & {
      /** Without a name: a new one. */
      sort: Partial<SavedSort> & { title: string; rules: SortRule[] };
      /** Names of other sorts. */
      taken: string[];
      /** The form is left, with what was saved or null. */
      left(saved: SavedSort | null): void;
    };
  type SortRuleParts = Pick<Parts, "language"> & {
    rule: EditedRule;
    /** Its place from 0, and the number of rules. */
    at: number;
    count: number;
    field: QueryField;
    wrong: string;
    change(changes: Partial<SortRule>): void;
    move(to: number): void;
    remove(): void;
    drag(event: PointerEvent): void;
  };
  type QueryCheckParts = {
    ask(text: string): Promise<{ total: number | null }>;
    right(text: string, isTyped: boolean): void;
    changed(): void;
    timers?: Timers;
  };
  type CompletionParts = {
    /** at: characters before the cursor. */
    ask(text: string, at: number): Promise<{ suggestions: Suggestion[] }>;
    changed(): void;
    timers?: Timers;
  };
}
