// Calendars and policies: as they go over the wire, and while they are edited.

import type { WeekDraft } from "../core/hours/week-edit.js";

export {};

declare global {
  /** Maps weekdays ("mon") to intervals ["09:00", "12:00"]; a missing day is closed. */
  type CalendarWeek = Record<string, [string, string][]>;
  type CalendarException = { date: string; intervals: [string, string][] };
  type CalendarTimes = { timezone: string; week: CalendarWeek; exceptions: CalendarException[] };
  type CalendarFields = CalendarTimes & { name: string };
  type Calendar = CalendarFields & {
    id: number;
    /** Names of the policies that use it. */
    policies: string[];
    changed_at?: number | null;
  };
  /** Open time of a week: day 0 is Monday, start and length are minutes. */
  type Block = { key: number; day: number; start: number; length: number };
  type WeekPiece = { block: Block; from: number; to: number; isTail: boolean };

  type PolicyFields = {
    name: string;
    query: string;
    /** An id; in a preview also the fields of a calendar. */
    calendar: any;
    /** Minutes of opening time; null: no promise. */
    first_reply: number | null;
    next_reply: number | null;
  };
  type Policy = PolicyFields & { id: number; changed_at?: number | null };
  type EditedTarget = { value: string; unit: string };
  type Progress = { done: number; of: number };
  type LatePreview = { waiting: number; late_now: number; late_after: number; newly_late: number };
  type LateCheckOptions = {
    ask(policies: object[]): Promise<LatePreview>;
    changed(): void;
    timers?: Timers;
  };
  type RecomputeOptions = {
    ask(): Promise<{ recompute: Progress | null }>;
    changed(): void;
    done?: () => void;
    timers?: Timers;
  };
  type WeekDraftOptions = { week: CalendarWeek; changed(): void; chosen?: () => void };
  type WeekPictureOptions = Pick<Ui, "language"> & {
    root(): HTMLElement;
    week: WeekDraft;
    tell(text: string): void;
  };
  type DayHoursOptions = Pick<Ui, "language"> & {
    week: WeekDraft;
    problem: string;
    write(one: Block, edge: "from" | "to", text: string): void;
    remove(one: Block): void;
    add(): void;
    copy(all: boolean): void;
  };
  type ZoneFieldOptions = Pick<Ui, "language"> & Pick<Net, "now"> & {
    zone: string;
    changed(): void;
    /** "" while the text is no zone. */
    chosen(zone: string): void;
  };
  type HolidaysOptions = Pick<Ui, "language"> & {
    exceptions: CalendarException[];
    changed(): void;
    tell(text: string): void;
  };
  type SavingOptions = Pick<Ui, "language"> & {
    kind: "calendar" | "policy" | "queue";
    fields: string[];
    root(): HTMLElement;
    gone(): string;
    changed(): void;
  };
  type SavingFoot = {
    shown(theirs: any): [string, string][];
    take(theirs: any): void;
    replace(theirs: any): void;
    cancel(): void;
  };
  type PolicyItemOptions = Pick<Ui, "language"> & {
    policy: Policy;
    /** The policy's place from 0, and the number of policies. */
    at: number;
    count: number;
    calendar: Calendar | undefined;
    isDragged: boolean;
    edit(): void;
    drop(): void;
    move(to: number): void;
    drag(event: PointerEvent): void;
  };
}
