// The handlers of events from the server.

/** @param {Page} page @returns {ConnectionEvents} */
export function socketEvents(page) {
  const { data, net, ui, acts } = page;
  const queues = (verb) => async (given) => (await ui.queues.preload())?.[verb](given);
  const events = {
    "list:order": (frame) => data.lists.frame(frame),
    "list:gone": (gone) => data.lists.gone(gone),
    "pages:totals": (totals) => takeTotals(page, totals),
    "views:totals": ({ totals }) => {
      data.totals.takeOthers(totals);
      ui.notifier.part?.counted();
      countAgain(page);
    },
    "views:changed": () => loadSaved(page),
    "order:status": (status) => net.connectionState.setOrderStatus(status),
    "thread:message": (message) => data.thread.received(message),
    "thread:viewers": (viewers) => data.presence.viewers(viewers),
    "thread:typing": (typing) => data.presence.typing(typing),
    "thread:cursor": (moved) => {
      ui.threadPane.part?.writers.cursor(moved);
      ui.painter.ask("presence");
      ui.presencePanels.cursor(moved);
    },
    "presence:ping": () => net.heartbeat.pong(),
    "presence:update": (update) => data.presence.update(update),
    "presence:status": (status) => data.presence.status(status),
    "notices:new": async (notice) => (await ui.notifier.get())?.notice(notice),
    "thread:act": (act) => {
      if (data.thread.did(act)) acts.acting.part?.colleagueActions.show(act);
    },
    "thread:gone": ({ thread_id: id }) => {
      data.thread.gone(id);
      data.presence.gone(id);
    },
    "thread:advice": async (given) => (await ui.advice.preload())?.take(given),
    "thread:delivery": (delivery) => data.thread.delivered(delivery),
    "queue:numbers": async (numbers) => (await ui.queueLine.preload())?.take(numbers),
    "queues:state": queues("state"),
    "queue:given": queues("gave"),
    "queue:taken": queues("taken"),
    "queue:returned": queues("returned"),
    "sources:failing": ({ sources }) => net.connectionState.setFailing(sources),
    "server:leaving": () => net.connectionState.moved(),
    "session:ended": ({ reason }) => net.connectionState.end("session", reason),
  };
  return {
    connected: () => {
      net.connectionState.connected();
      // Badges ten times a second instead of four, each with its version.
      net.connection.tell("views:totals", {});
      loadSaved(page);
    },
    disconnected: () => net.connectionState.disconnected(),
    refused: (error) => net.connectionState.refused(error),
    event: (name, given, acknowledge) => {
      events[name]?.(given);
      acknowledge?.();
    },
  };
}

function loadSaved({ data: { savedViews, sorts } }) {
  savedViews.load();
  sorts.load();
}

// All parts with the number of threads are painted in the same frame.
/** @param {Page} page */
export function countAgain({ data: { thread }, ui: { painter } }) {
  painter.ask("nav", "header", "queue", "first", ...(thread.id === null ? ["messages"] : []));
}

function takeTotals(page, totals) {
  const { data, ui } = page;
  data.totals.take(totals);
  countAgain(page);
  ui.rowRefresh.ask();
  if (totals.filter === "all") ui.alerts.update(totals);
}
