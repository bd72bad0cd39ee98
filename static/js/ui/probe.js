// What tests may read of the page.

export const probe = (desk) => Object.freeze({
  list() {
    const { place, sync, listing } = desk;
    const { order } = sync;
    return {
      ...place,
      state: sync.state,
      hold: desk.hold.state(desk.now()),
      epoch: order?.epoch ?? null,
      version: order?.version ?? 0,
      total: order?.total ?? 0,
      whole: order?.whole ?? false,
      ids: order ? Array.from(order.ids()) : [],
      scores: order ? Array.from(order.scores()) : [],
      painted: listing.ready
        ? Array.from({ length: listing.view.length }, (_, index) => listing.view.idAt(index)) : [],
    };
  },
});
