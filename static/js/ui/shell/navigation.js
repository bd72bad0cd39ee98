// The current list and thread, which the address (`location.hash`) names.

import { sortsOf } from "../../core/query/sorts.js";
import { format, isSaved, listKey, parse, QUERY, withoutFilter } from "../../core/route.js";
import { PageModule } from "../elements/page-module.js";

const DEFAULT_VIEW = "not_respond";
const QUERY_SORT = "arrival"; // of the list of the first query

export class Navigation extends PageModule {
  #querySort = QUERY_SORT; // the sort of the query's list shown last
  /** @type {number | null} */
  at = null; // the moment as of which the list is shown; null: it is live
  /** @type {string | null} */
  span = null; // how much the slider of that list shows; null: as much as usual

  // Shows the list and thread of an address. deep: it is a link, so the list scrolls to the thread.
  goTo(hash, { deep }) {
    const { choices, savedViews } = this.data;
    const given = parse(hash, choices);
    const wanted = withoutFilter(given, savedViews, choices.viewQueries);
    const last = wanted.view ? null : this.#last();
    const view = wanted.view ?? last.view;
    const asked = wanted.sort ?? last?.sort;
    const sort = asked && this.#hasSort(view, asked) ? asked : this.#sortOf(view);
    this.#show(listOf({ view, query: wanted.query, sort }));
    this.span = given.span;
    this.#look(given.at);
    if (wanted.thread === null) this.#closeThread();
    else this.#openThread(wanted.thread);
    if (given.filter) this.#remember(true);
    if (deep && wanted.thread !== null) this.acts.finder.showInList({ quiet: true });
  }

  // Returns where the admin was last, even before the page was loaded.
  #last() {
    const { kept: { saved }, place: view = DEFAULT_VIEW } = this.data.prefs;
    if (saved && this.data.savedViews.of(saved.view)) return saved;
    if (saved) this.ui.toasts.show(this.ui.language.t("view.lost", { view: this.ui.language.t(`view.${view}`) }));
    return { view };
  }

  // Shows a place in the sort in which it was left, or a saved view in its own sort.
  /** @param {string} view */
  goView(view) { this.goList({ view, sort: this.#sortOf(view) }); }

  // Shows the saved view with this number, from 1. Returns false if there is none.
  /** @param {number} place */
  goSaved(place) {
    const view = this.data.savedViews.list[place - 1];
    return view ? this.goView(view.id) : false;
  }

  // Shows the live list of a query without words, in the sort of the last such list or in `sort`.
  // replace: the list replaces the current one in the history, such as while the query is typed.
  // The search stays open or closed. Returns whether another list is shown.
  /** @param {string} query @param {{sort?: string, replace?: boolean}} options */
  openQuery(query, { sort = this.#querySort, replace = false } = {}) {
    const text = query.trim();
    if (!text) return false;
    const takes = replace && this.data.lists.list.view === QUERY;
    return this.#go({ view: QUERY, query: text, sort }, takes);
  }

  /** @param {string} sort */
  goSort(sort) { if (this.#hasSort(this.data.lists.list.view, sort)) this.goList({ ...this.data.lists.list, sort }); }

  /** @param {ListName} list */
  goList(list) {
    if (this.ui.search.shown) this.ui.search.close();
    this.#go(list);
  }

  // The current view now has another sort of its own, or the sort was deleted.
  /** @param {string} sort */
  follow(sort) { this.#go({ ...this.data.lists.list, sort }, true); }

  // The current view was deleted.
  /** @param {string} view */
  instead(view) { this.#go({ view, sort: this.#sortOf(view) }, true); }

  // Settings that cover the desk stay, unless the admin chose the list.
  #go(list, replace = false) {
    if (!replace && this.ui.settings.part?.shown) return this.ui.settings.part.close(() => this.#go(list));
    const { view } = this.data.lists.list;
    this.ui.layout.panel = "list";
    this.ui.painter.ask("shell");
    const wasPast = this.at !== null;
    if (!replace) this.#look(null);
    if (!this.#show(list) && !wasPast) return false;
    this.#remember(replace);
    if (!replace && !list.query && list.view !== view && !this.ui.search.shown) this.acts.finder.leave();
    const { t } = this.ui.language;
    this.ui.announce(t("announce.list", {
      view: list.query ?? t(`view.${list.view}`), sort: t(`sort.${list.sort}`),
    }));
    return true;
  }

  // Shows the current list as it was at a moment, or live (null). replace: in place of another moment.
  /** @param {number | null} at */
  goPast(at, replace = false) {
    if (!replace) this.ui.layout.panel = "list";
    this.#look(at, !replace);
    this.#remember(replace);
  }

  #look(at, isAsked = false) {
    this.at = at;
    this.ui.painter.askAll();
    if (at === null) this.ui.history.close();
    else this.ui.history.open(isAsked);
  }

  #hasSort(view, sort) { return sortsOf(view, this.data.choices.sorts).includes(sort); }

  #sortOf(view) {
    if (view === QUERY) return this.#querySort;
    return this.data.savedViews.of(view)?.sort ?? this.data.prefs.sortOf(view);
  }

  // messageId: the message to show; null for the end. replace: in place of the address of the list.
  /** @param {number} id @param {number | null} messageId */
  open(id, messageId = null, replace = false) {
    if (this.ui.settings.part?.shown) return this.ui.settings.part.close(() => this.open(id, messageId, true));
    this.#openThread(id, messageId);
    this.#remember(replace);
    return undefined;
  }

  #show(list) {
    if (this.data.lists.current && listKey(this.data.lists.list) === listKey(list)) return false;
    this.#name(list);
    this.ui.picks.clear();
    this.data.hold.release();
    this.data.lists.show(list);
    this.#keep(list);
    this.ui.alerts.write();
    this.ui.painter.askAll();
    return true;
  }

  // Stores where the next start begins; a query that is not saved is only in the address.
  #keep(list) {
    const saved = this.data.savedViews.of(list.view);
    if (list.query) this.#querySort = list.sort;
    else if (saved) this.data.prefs.keepSaved(list, saved.sort);
    else if (!isSaved(list.view)) this.data.prefs.keep(list);
  }

  // An address may name a view that does not exist.
  #name({ view }) {
    if (!isSaved(view) || this.data.savedViews.last(view)) return;
    this.ui.language.given.set(`view.${view}`, this.ui.language.t("view.none"));
  }

  // The address of the list and the thread that are shown.
  get address() { return `/${format({ ...this.data.lists.list, thread: this.data.thread.id, at: this.at, span: this.span })}`; }

  #remember(replace = false) {
    if (this.ui.settings.part?.shown || this.address === location.pathname + location.hash) return;
    history[replace ? "replaceState" : "pushState"]({ ours: true }, "", this.address);
  }

  #openThread(id, messageId = null) {
    const { listing } = this.data.lists;
    this.ui.layout.panel = "thread";
    listing.fresh.drop(id);
    listing.news.delete(id);
    listing.activeId = id;
    /** @type {HTMLElement | null} */ // a menu at the head of a thread is not for the next one
    (document.querySelector("#thread-head :popover-open"))?.hidePopover();
    this.data.thread.open(id, messageId);
    this.data.neighbours.look();
    this.ui.painter.askAll();
  }

  // Closes the thread that is not on the list to which the admin went.
  leaveThread() {
    this.#closeThread();
    this.#remember(true);
  }

  #closeThread() {
    this.ui.layout.panel = "list";
    this.data.thread.close();
    this.ui.painter.askAll();
  }
}

const listOf = ({ query, ...list }) => (query ? { ...list, query } : list);
