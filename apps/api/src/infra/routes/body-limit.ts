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
  /**
   * What becomes of numbers that would be stored as other numbers. Schemas may name them, as bounds. `reported`: the route finds
   * them in `request.inexactNumbers`, with their paths.
   */
  inexactNumbers: 'accepted' | 'refused' | 'reported';
}

/**
 * `large`: media, documents, and methods of tools. `values`: what people and programs hand over as data: inputs and rows.
 * `event`: a payload. `events`: several. `upload`: a form with a file, which is passed on as a Buffer. `form`: the parameters of
 * OAuth, instead of JSON. `registration`: what a client says of itself, before anybody knows it.
 */
export type BodyKind =
  'standard' | 'large' | 'values' | 'event' | 'events' | 'upload' | 'form' | 'registration';

/** Of the payload of an event, and of a row, which may become one. */
export const PAYLOAD_LIMITS = { bytes: 256 * KB, depth: 32 };

export const BODY_LIMITS: Record<BodyKind, BodyLimits> = {
  standard: { bytes: MB, depth: 64, multipartBytes: null, inexactNumbers: 'accepted' },
  large: { bytes: 10 * MB, depth: 64, multipartBytes: null, inexactNumbers: 'accepted' },
  values: { bytes: 10 * MB, depth: 64, multipartBytes: null, inexactNumbers: 'refused' },
  // The payload and what is around it.
  event: {
    bytes: PAYLOAD_LIMITS.bytes + 16 * KB,
    depth: PAYLOAD_LIMITS.depth + 1,
    multipartBytes: null,
    inexactNumbers: 'refused',
  },
  events: { bytes: 4 * MB, depth: 64, multipartBytes: null, inexactNumbers: 'reported' },
  form: { bytes: 16 * KB, depth: 1, multipartBytes: null, inexactNumbers: 'accepted' },
  registration: { bytes: 32 * KB, depth: 8, multipartBytes: null, inexactNumbers: 'accepted' },
  upload: { bytes: MB, depth: 64, multipartBytes: 25 * MB, inexactNumbers: 'accepted' },
};

export const BODY_KIND = 'platform:body';

/** Declares the body limits of a route or controller. Default: `standard`. */
export const BodyLimit = (kind: BodyKind) => SetMetadata(BODY_KIND, kind);
