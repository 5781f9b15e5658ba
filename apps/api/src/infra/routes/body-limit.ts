import { SetMetadata } from '@nestjs/common';

const KB = 1024;
const MB = 1024 * KB;

export interface BodyLimits {
  /** Bytes of a JSON body, after decompression. */
  bytes: number;
  /** Levels of nested objects and arrays. */
  depth: number;
  /** Bytes of a `multipart/form-data` body; null: the route accepts JSON only. */
  multipartBytes: number | null;
}

/** `large`: media, documents, and tool inputs. `upload`: a form with a file, which is passed on as a Buffer. */
export type BodyKind = 'standard' | 'large' | 'event' | 'events' | 'upload';

export const BODY_LIMITS: Record<BodyKind, BodyLimits> = {
  standard: { bytes: MB, depth: 64, multipartBytes: null },
  large: { bytes: 10 * MB, depth: 64, multipartBytes: null },
  event: { bytes: 256 * KB, depth: 32, multipartBytes: null },
  events: { bytes: 4 * MB, depth: 64, multipartBytes: null },
  upload: { bytes: MB, depth: 64, multipartBytes: 25 * MB },
};

export const BODY_KIND = 'platform:body';

/** Declares the body limits of a route or controller. Default: `standard`. */
export const BodyLimit = (kind: BodyKind) => SetMetadata(BODY_KIND, kind);
