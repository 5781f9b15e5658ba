/** The segment that responds to a start, a resume, or a re-attach. */
export interface OpenedSegment {
  turnId: string;
  sessionName: string;
  /** The user whose turn it is. */
  userId: string;
  segment: number;
  streamId: string;
  /** All of its frames, if the stream is no longer stored. */
  replay?: Buffer;
}
