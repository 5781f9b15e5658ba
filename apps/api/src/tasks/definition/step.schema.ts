/** The fields of every step. The class of each kind is beside what runs it. */
export class StepSchema {
  /** Unique in the workflow: a letter or _ followed by at most 63 letters, digits, or _. */
  id!: string;
}
