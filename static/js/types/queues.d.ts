// Queues: as they go over the wire, and while they are edited.

export {};

declare global {
  type QueueName = { id: number; name: string };
  type QueueFields = {
    /** The view that it hands out, such as `v17`. */
    view: string;
    mode: "push" | "pull";
    /** Desks; or all accounts. */
    admins: string[] | "all";
    /** Seconds. */
    take_within: number;
    delay: number;
    return: { offline_after: number; which: "waiting" | "all" | "none" };
  };
  /** Waiting threads, admins who accept threads, and those of them with a free place. */
  type QueueCounts = { waiting: number; accepting: number; eligible: number };
  interface Queue extends QueueFields, QueueCounts {
    id: number;
    /** The name of its view. */
    name: string;
    changed_at: number;
    /** Whether this admin is one of its admins. */
    mine: boolean;
  }
  /** The admin's own switch and places. */
  type OwnLoad = {
    accepting: boolean;
    /** In effect; `capacity_max` was set by supervisors. */
    capacity: number;
    capacity_max: number;
    load: number;
    /** The threads that count: those with a waiting customer, or all open ones. */
    counts: "waiting" | "open";
  };
  /** A queue as the admin's page is told of it. */
  type ToldQueue = Pick<Queue, "id" | "name" | "mode" | "mine"> & QueueCounts;
  /** `queues:state`: the queues that have changed, the ids of all in their order, the number of threads that the
   * admin may take, and the admin's own load if it has changed; null without queues. `given`, after a new connection: all threads that are still to be opened. */
  type QueuesState = { queues: ToldQueue[]; ids: number[]; next: number; me?: OwnLoad | null; given?: number[] };
  /** `queue:given`: a thread that must be opened by `until`. */
  type GivenThread = { thread_id: number; queue: QueueName; until: number | null; row: Row };
  type ReturnedThread = {
    thread_id: number;
    queue: QueueName | null;
    reason: "not_taken" | "offline" | "released";
    accepting: boolean;
  };
  type TakenThread = { row: Row; queue: QueueName; rank: number; of: number; act: number };
  /** The reason why an admin got a thread, or did not. */
  type QueueAdmin = Person & {
    is: "given" | "free" | "released" | "at_capacity" | "not_accepting" | "away" | "busy" | "dnd" | "offline";
    load: number | null;
    capacity: number | null;
  };
  type QueueExplanation = {
    queue: QueueName;
    /** The admin who got it; null: it still waits. */
    admin: Person | null;
    at: number | null;
    pulled: boolean;
    admins: QueueAdmin[];
    others: number;
    position: number | null;
    of: number | null;
  };
  /** What the team's call says about an admin; missing without queues. */
  type MemberLoad = { load?: number | null; capacity?: number | null; accepting?: boolean };
}
