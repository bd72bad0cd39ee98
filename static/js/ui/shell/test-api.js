// What tests and benches may read of the page, as `window.lineup`.

/** @param {TestApiParts} parts */
export const testApi = ({ lists, hold, now }) => Object.freeze({
  list() {
    const { list, sync, listing: { painted } } = lists;
    const { order } = sync;
    return {
      ...list,
      state: sync.state,
      hold: hold.state(now()),
      epoch: order?.epoch ?? null,
      version: order?.version ?? 0,
      total: order?.total ?? 0,
      whole: order?.whole ?? false,
      ids: order ? Array.from(order.ids()) : [],
      scores: order ? Array.from(order.scores()) : [],
      painted: Array.from({ length: painted?.length ?? 0 }, (_, index) => painted.idAt(index))
        .filter((id) => id !== undefined),
    };
  },
});
