import type { ChatRequest, ChatResponse, ImageContent, Message, TurnSegment } from './schemas.ts';

export type ImageDetail = NonNullable<ImageContent['image_url']['detail']>;
export type ContentItem = ChatRequest['contents'][number];
export type TurnOutcome = ChatResponse['status'];

export const TURN_STATUSES = [
  'QUEUED',
  'RUNNING',
  'INPUT_REQUIRED',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
] as const;
export type TurnStatus = (typeof TURN_STATUSES)[number];
export type MessageContent = Message['contents'][number];
export type SegmentOrigin = TurnSegment['origin'];

/** The outcome of a local tool call: exactly one of result, error, or denied. */
export type LocalToolResultRequest =
  { result: unknown } | { error: string } | { denied: true; reason?: string | null };
