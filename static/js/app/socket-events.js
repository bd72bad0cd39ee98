// What each event from the server does.

// parts() is called when an event comes: the connection is built before the parts that it serves.
/** @param {() => EventParts} parts @returns {ConnectionEvents} */
export function socketEvents(parts) {
  const events = {
    "list:order": (frame) => parts().lists.frame(frame),
    "list:gone": (gone) => parts().lists.gone(gone),
    "pages:totals": (data) => takeTotals(parts(), data),
    "views:totals": ({ totals }) => {
      parts().totals.takeSaved(totals);
      parts().painter.ask("nav", "header");
    },
    "list:totals": (data) => {
      parts().totals.takeFiltered(data);
      parts().painter.ask("nav", "header");
    },
    "views:changed": () => {
      parts().savedViews.load();
      parts().sorts.load();
    },
    "order:status": (status) => parts().connectionState.setOrderStatus(status),
    "thread:message": (data) => parts().thread.received(data),
    "thread:viewers": (data) => parts().presence.viewers(data),
    "thread:typing": (data) => parts().presence.typing(data),
    "thread:cursor": (data) => {
      parts().threadPane.part?.writers.cursor(data);
      parts().presencePanels.cursor(data);
    },
    "presence:ping": () => parts().heartbeat.pong(),
    "presence:update": (data) => parts().presence.update(data),
    "presence:status": (data) => parts().presence.status(data),
    "notices:new": async (notice) => (await parts().notifier.get())?.notice(notice),
    "thread:act": (data) => {
      if (parts().thread.did(data)) parts().acting.part?.colleagueActions.show(data);
    },
    "thread:gone": ({ thread_id: id }) => {
      parts().thread.gone(id);
      parts().presence.gone(id);
    },
    "thread:delivery": (data) => parts().thread.delivered(data),
    "queue:numbers": (numbers) => parts().queueLine.take(numbers),
    "sources:failing": ({ sources }) => parts().connectionState.setFailing(sources),
    "server:leaving": () => parts().connectionState.moved(),
    "session:ended": ({ reason }) => parts().connectionState.end("session", reason),
  };
  return {
    connected: () => {
      parts().filterTotals.connected();
      parts().connectionState.connected();
      parts().savedViews.load();
      parts().sorts.load();
    },
    disconnected: () => parts().connectionState.disconnected(),
    refused: (error) => parts().connectionState.refused(error),
    event: (name, data, acknowledge) => {
      events[name]?.(data);
      acknowledge?.();
    },
  };
}

function takeTotals({ totals, painter, rowRefresh, alerts }, data) {
  totals.take(data);
  painter.ask("nav", "header", "first");
  rowRefresh.ask();
  if (data.filter === "all") alerts.update(data);
}
