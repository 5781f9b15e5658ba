/** Where the answer to a start, a resume or a re-attach is read. */
export interface OpenedSegment {
  turnId: string;
  sessionName: string;
  /** Whose turn it is. */
  userId: string;
  segment: number;
  streamId: string;
  /** All of its frames, where the stream is no longer kept. */
  replay?: Buffer;
}
