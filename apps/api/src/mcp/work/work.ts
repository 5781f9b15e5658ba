import type { QuestionForm } from '../../turns/questions/question-form.ts';

/** A question of work to its person. */
export interface AskedQuestion {
  id: string;
  form: QuestionForm;
}

/** How a call has ended. */
export interface Done {
  kind: 'done';
  text: string;
  structured?: Record<string, unknown>;
  isError?: boolean;
}

/** What has become of work so far. */
export type WorkState =
  | { status: 'working'; note?: string }
  | { status: 'input_required'; questions: AskedQuestion[] }
  | { status: 'completed'; outcome: Done }
  | { status: 'cancelled' };

/** A turn or a run that a call has started. */
export interface Work {
  handle: string;
  createdAt: Date;
  updatedAt: Date;
  /** Until when it is kept at least, even if it ends now; null: as long as the session or the run that it belongs to. */
  keptUntil: Date | null;
  state: WorkState;
}
