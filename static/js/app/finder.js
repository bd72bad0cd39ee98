// Finding threads in the list that is shown; its script is loaded at its first use.

import { Lazy } from "../ui/elements/lazy.js";

// parts() returns what main.js built; failed() is called when the script could not be loaded.
/** @param {{parts: () => FinderParts, failed: () => void}} given */
export function lazyFinder({ parts, failed }) {
  const finding = new Lazy({
    failed,
    load: async () => {
      const { ThreadFinder } = await import("../ui/list/thread-finder.js");
      return new ThreadFinder({
        ...parts(), goList: (list) => parts().navigation.goList(list),
      });
    },
  });
  return {
    showInList: async (options) => (await finding.get())?.showInList(options),
    nextUnread: async (step) => (await finding.get())?.nextUnread(step),
  };
}
