// Which list and which thread are shown. The address (`location.hash`) names both.

import { sortsOf } from "../../core/query/sorts.js";
import { format, isSaved, listKey, parse, QUERY } from "../../core/route.js";

const DEFAULT_VIEW = "not_respond";
const QUERY_SORT = "arrival"; // of the first query's list

export class Navigation {
  #querySort = QUERY_SORT; // that of the query's list shown last

  /** @param {NavigationParts} parts */
  constructor({
    lists, thread, prefs, picks, hold, layout, search, painter, language, announce, changed,
    showInList, choices, neighbours, savedViews, toasts,
  }) {
    this.lists = lists;
    this.thread = thread;
    this.prefs = prefs;
    this.picks = picks;
    this.hold = hold;
    this.layout = layout;
    this.search = search;
    this.painter = painter;
    this.language = language;
    this.announce = announce;
    this.changed = changed; // another list is shown
    this.showInList = showInList;
    this.choices = choices;
    this.neighbours = neighbours;
    this.savedViews = savedViews;
    this.toasts = toasts;
  }

  // Shows what an address names. deep: it came from a link, so the list scrolls to the thread.
  goTo(hash, { deep }) {
    const wanted = parse(hash, this.choices);
    const last = wanted.view ? null : this.#last();
    const view = wanted.view ?? last.view;
    const asked = wanted.sort ?? last?.sort;
    const sort = asked && this.#hasSort(view, asked) ? asked : this.#sortOf(view);
    const filter = wanted.filter ?? last?.filter ?? "all";
    this.#show(listOf({ view, query: wanted.query, sort, filter }));
    if (wanted.thread === null) this.#closeThread();
    else this.#openThread(wanted.thread);
    if (deep && wanted.thread !== null) this.showInList({ quiet: true });
  }

  // Where the admin was last, also before the page was loaded.
  #last() {
    const { saved, view = DEFAULT_VIEW } = this.prefs.kept;
    if (saved && this.savedViews.of(saved.view)) return { filter: "all", ...saved };
    if (saved) this.toasts.show(this.language.t("view.lost", { view: this.language.t(`view.${view}`) }));
    return { view, filter: this.prefs.filterOf(view) };
  }

  // A built-in view as it was left, or a saved one in its own sort.
  /** @param {string} view */
  goView(view) {
    this.goList({ view, sort: this.#sortOf(view), filter: this.prefs.filterOf(view) });
  }

  // The saved view at a place in the admin's order, from 1. false: there is none.
  /** @param {number} place */
  goSaved(place) {
    const view = this.savedViews.list[place - 1];
    return view ? this.goView(view.id) : false;
  }

  // A live list of what a query without words asks for, in the sort of the last such list or in
  // `sort`. replace: it takes the place of the one shown in the history, as while it is typed.
  // The search stays as it is, open or closed. Returns whether another list is shown.
  /** @param {string} query @param {{sort?: string, replace?: boolean}} options */
  openQuery(query, { sort = this.#querySort, replace = false } = {}) {
    const text = query.trim();
    if (!text) return false;
    const takes = replace && this.lists.list.view === QUERY;
    return this.#go({ view: QUERY, query: text, sort, filter: "all" }, takes);
  }

  /** @param {string} sort */
  goSort(sort) { if (this.#hasSort(this.lists.list.view, sort)) this.goList({ ...this.lists.list, sort }); }
  /** @param {string} filter */
  goFilter(filter) { this.goList({ ...this.lists.list, filter }); }

  /** @param {ListName} list */
  goList(list) {
    if (this.search.shown) this.search.close();
    this.#go(list);
  }

  // The view that is shown has another sort of its own now.
  /** @param {string} sort */
  follow(sort) { this.#go({ ...this.lists.list, sort }, true); }

  #go(list, replace = false) {
    this.layout.panel = "list";
    this.painter.ask("shell");
    if (!this.#show(list)) return false;
    this.#remember(replace);
    const { t } = this.language;
    this.announce(t("announce.list", {
      view: list.query ?? t(`view.${list.view}`), sort: t(`sort.${list.sort}`),
    }));
    return true;
  }

  #hasSort(view, sort) { return sortsOf(view, this.choices.sorts).includes(sort); }

  #sortOf(view) {
    if (view === QUERY) return this.#querySort;
    return this.savedViews.of(view)?.sort ?? this.prefs.sortOf(view);
  }

  // messageId: where in it; null for its end.
  /** @param {number} id @param {number | null} messageId */
  open(id, messageId = null) {
    this.#openThread(id, messageId);
    this.#remember();
  }

  #show(list) {
    if (this.lists.current && listKey(this.lists.list) === listKey(list)) return false;
    this.#name(list);
    this.picks.clear();
    this.hold.release();
    this.lists.show(list);
    this.#keep(list);
    this.changed();
    this.painter.askAll();
    return true;
  }

  // What the next start begins with: a query that is not saved is in the address alone.
  #keep(list) {
    const saved = this.savedViews.of(list.view);
    if (list.query) this.#querySort = list.sort;
    else if (saved) this.prefs.placeSaved(list, saved.sort);
    else if (!isSaved(list.view)) this.prefs.place(list);
  }

  // An address may name a view that there is not.
  #name({ view }) {
    if (!isSaved(view) || this.savedViews.last(view)) return;
    this.language.given.set(`view.${view}`, this.language.t("view.none"));
  }

  #remember(replace = false) {
    const hash = format({ ...this.lists.list, thread: this.thread.id });
    if (hash === location.hash) return;
    history[replace ? "replaceState" : "pushState"]({ ours: true }, "", hash);
  }

  #openThread(id, messageId = null) {
    const { listing } = this.lists;
    this.layout.panel = "thread";
    listing.fresh.drop(id);
    listing.news.delete(id);
    this.thread.open(id, messageId);
    this.neighbours.look();
    this.painter.askAll();
  }

  #closeThread() {
    this.layout.panel = "list";
    this.thread.close();
    this.painter.askAll();
  }
}

const listOf = ({ query, ...list }) => (query ? { ...list, query } : list);
