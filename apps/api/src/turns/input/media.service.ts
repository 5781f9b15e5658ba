import { Injectable, Logger } from '@nestjs/common';
import type { ContentItem, ModelCapabilities } from '@platform/contracts';
import { invalid } from '../../infra/errors/app-error.ts';
import { GuardedHttp } from '../../infra/outgoing/guarded-http.ts';
import type { Sql } from '../../infra/database/rows.ts';
import { decodeText } from '../../knowledge/extraction/decode-text.ts';
import { Unreadable } from '../../knowledge/extraction/unreadable.ts';
import { insertAttachment } from '../records/attachment.store.ts';
import { isDataUri, parseDataUri } from './contents.ts';
import type { UserPart } from '../records/steps.ts';
import { AUDIO_MIMES, audioFormatOf, imageMimeOf } from './media-format.ts';

const MB = 1024 * 1024;
const MAX_MEDIA_BYTES = 10 * MB;
const FETCH_MS = 20_000;
/** The most bytes that all fetches of one message can take. */
const MAX_FETCHED_BYTES = 25 * MB;
const MAX_FETCHING_MS = 60_000;
/** The most text that a text file adds to the prompt. */
const MAX_FILE_CHARS = 200_000;
const TEXT_MIMES =
  /^(text\/|application\/(json|xml|yaml|x-yaml|javascript|sql|x-ndjson|toml)$)|\+(json|xml)$/;
const TEXT_NAMES =
  /\.(txt|md|markdown|csv|tsv|json|jsonl|ya?ml|xml|html?|log|ini|toml|sql|[jt]sx?|py|java|go|rs|c|h|cpp|rb|sh)$/i;
/** File names that are certainly not text. */
const BINARY_NAMES =
  /\.(pdf|docx?|xlsx?|pptx?|od[tsp]|epub|zip|gz|tar|7z|png|jpe?g|gif|webp|mp[34]|wav|ogg|flac)$/i;

/** A medium with its bytes. */
interface Loaded {
  mime: string;
  data: Buffer;
}

/** The remaining budget for media that are not fetched yet. */
interface Budget {
  bytes: number;
  /** By `performance.now()`. */
  until: number;
}

/** A content item before it is stored: attachments still have their bytes. */
export type LoadedPart =
  | Exclude<UserPart, { attachmentId: string }>
  | { type: 'image'; detail: 'auto' | 'low' | 'high'; media: Loaded }
  | { type: 'audio'; media: Loaded; url?: string }
  | { type: 'file'; media: Loaded; info: Record<string, unknown>; text?: string };

/** Loads the media of a user message, from data URIs or from the web. */
@Injectable()
export class MediaService {
  private readonly logger = new Logger(MediaService.name);

  constructor(private readonly http: GuardedHttp) {}

  /** Throws VALIDATION_ERROR, naming the item, for media that the model does not support or that cannot be fetched. */
  async load(
    contents: ContentItem[],
    model: { name: string; capabilities: ModelCapabilities },
  ): Promise<LoadedPart[]> {
    const budget = { bytes: MAX_FETCHED_BYTES, until: performance.now() + MAX_FETCHING_MS };
    const loaded: LoadedPart[] = [];
    // One after another, to bound the memory.
    for (const [i, item] of contents.entries()) {
      loaded.push(await this.loadItem(item, `contents[${i}]`, model, budget));
    }
    return loaded;
  }

  private async loadItem(
    item: ContentItem,
    path: string,
    { name, capabilities }: { name: string; capabilities: ModelCapabilities },
    budget: Budget,
  ): Promise<LoadedPart> {
    const refuse = (kind: string) => invalid(`${path}: the model ${name} does not take ${kind}`);
    switch (item.type) {
      case 'text':
        return item;
      case 'image_url': {
        if (!capabilities.images) throw refuse('images');
        const { url, detail } = item.image_url;
        const inline = decoded(url);
        // Web addresses of images are passed on to the provider.
        if (inline === null) return { type: 'image', detail: detail ?? 'auto', url };
        const mime = imageMimeOf(inline.data);
        if (mime === null)
          throw invalid(`${path}.image_url.url must be a PNG, JPEG, GIF, WebP, AVIF or HEIC image`);
        return { type: 'image', detail: detail ?? 'auto', media: { mime, data: inline.data } };
      }
      case 'audio': {
        if (!capabilities.audio) throw refuse('audio');
        const { url } = item.audio_url;
        const { data } = await this.bytesOf(url, `${path}.audio_url.url`, budget);
        const format = audioFormatOf(data);
        if (format === null) throw invalid(`${path}.audio_url.url must be a WAV or MP3 recording`);
        const media = { mime: AUDIO_MIMES[format], data };
        return isDataUri(url) ? { type: 'audio', media } : { type: 'audio', media, url };
      }
      case 'file': {
        const { url, ...rest } = item.file_info;
        if (!capabilities.files && BINARY_NAMES.test(rest.name ?? '')) throw refuse('files');
        const media = await this.bytesOf(url, `${path}.file_info.url`, budget);
        const info = isDataUri(url) ? rest : { url, ...rest };
        const text = textOf(media, rest.name ?? '');
        if (text !== null) return { type: 'file', media, info, text };
        if (!capabilities.files) throw refuse('files');
        return { type: 'file', media, info };
      }
    }
  }

  private async bytesOf(url: string, path: string, budget: Budget): Promise<Loaded> {
    const inline = decoded(url);
    if (inline) return inline;
    const maxBytes = Math.min(MAX_MEDIA_BYTES, budget.bytes);
    try {
      const timeoutMs = Math.max(1, Math.min(FETCH_MS, Math.round(budget.until - performance.now())));
      const redirects = { most: 3, to: 'any' } as const;
      const response = await this.http.fetch(url, { maxBytes, timeoutMs, redirects });
      if (!response.ok) throw new Error(`HTTP ${response.status}`);
      budget.bytes -= response.bytes.length;
      const mime = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
      return { mime: mime ?? 'application/octet-stream', data: response.bytes };
    } catch (error) {
      this.logger.warn({ err: error }, 'A medium could not be fetched');
      throw invalid(
        `${path} could not be fetched (at most ${maxBytes} bytes, from a public address; ` +
          `${MAX_FETCHED_BYTES} bytes in one message)`,
      );
    }
  }
}

/** Stores the bytes of loaded parts as attachments. Returns the parts to store. */
export async function storeParts(
  tx: Sql,
  owner: { spaceId: string; sessionRef: string },
  parts: LoadedPart[],
): Promise<UserPart[]> {
  const stored: UserPart[] = [];
  for (const part of parts) {
    if (!('media' in part)) {
      stored.push(part);
      continue;
    }
    const { media, ...rest } = part;
    stored.push({ ...rest, attachmentId: await insertAttachment(tx, owner, media) });
  }
  return stored;
}

function decoded(url: string): Loaded | null {
  const uri = parseDataUri(url);
  return uri && { mime: uri.mime, data: Buffer.from(uri.base64, 'base64') };
}

/** The text of a text-like file; null for what is none, whatever it is called. */
function textOf({ mime, data }: Loaded, name: string): string | null {
  if (!TEXT_MIMES.test(mime) && !TEXT_NAMES.test(name)) return null;
  const text = readText(data);
  if (text === null) return null;
  return text.length > MAX_FILE_CHARS
    ? `${text.slice(0, MAX_FILE_CHARS)}\n[cut after ${MAX_FILE_CHARS} characters]`
    : text;
}

function readText(data: Buffer): string | null {
  try {
    return decodeText(data, null, false).text;
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}
