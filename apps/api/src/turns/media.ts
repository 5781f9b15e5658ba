import { createHash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { ContentItem, ModelCapabilities } from '@platform/contracts';
import { invalid } from '../infra/http/app-error.ts';
import { GuardedHttp } from '../infra/http/guarded-http.ts';
import { firstRow, type Sql } from '../infra/database/rows.ts';
import { parseDataUri } from './contents.ts';
import type { UserPart } from './items.ts';

const MAX_MEDIA_BYTES = 10 * 1024 * 1024;
/** Longest text that a text-like file adds to the prompt. */
const MAX_FILE_CHARS = 200_000;
const TEXT_MIMES =
  /^(text\/|application\/(json|xml|yaml|x-yaml|javascript|sql|x-ndjson|toml)$)|\+(json|xml)$/;
const TEXT_NAMES =
  /\.(txt|md|markdown|csv|tsv|json|jsonl|ya?ml|xml|html?|log|ini|toml|sql|[jt]sx?|py|java|go|rs|c|h|cpp|rb|sh)$/i;

/** A medium whose bytes are at hand. */
interface Loaded {
  mime: string;
  data: Buffer;
}

/** What a content item became before it is stored: attachments still with their bytes. */
export type LoadedPart =
  | Exclude<UserPart, { attachmentId: string }>
  | { type: 'image'; detail: 'auto' | 'low' | 'high'; media: Loaded }
  | { type: 'audio'; media: Loaded; url?: string }
  | { type: 'file'; media: Loaded; info: Record<string, unknown>; text?: string };

/** Brings the media of a user's message in: decoded from data URIs, or fetched from the web. */
@Injectable()
export class Media {
  private readonly logger = new Logger(Media.name);

  constructor(private readonly http: GuardedHttp) {}

  /** Refuses, naming the item, what the model cannot take or what cannot be fetched. */
  async load(
    contents: ContentItem[],
    model: { name: string; capabilities: ModelCapabilities },
  ): Promise<LoadedPart[]> {
    const refuse = (path: string, kind: string) =>
      invalid(`${path}: the model ${model.name} does not take ${kind}`);
    return Promise.all(
      contents.map(async (item, i): Promise<LoadedPart> => {
        const path = `contents[${i}]`;
        switch (item.type) {
          case 'text':
            return item;
          case 'image_url': {
            if (!model.capabilities.images) throw refuse(path, 'images');
            const { url, detail } = item.image_url;
            const inline = decoded(url);
            // Web addresses of images go to the provider as they are.
            return inline
              ? { type: 'image', detail: detail ?? 'auto', media: inline }
              : { type: 'image', detail: detail ?? 'auto', url };
          }
          case 'audio': {
            if (!model.capabilities.audio) throw refuse(path, 'audio');
            const { url } = item.audio_url;
            const media = await this.bytesOf(url, `${path}.audio_url.url`);
            return url.startsWith('data:') ? { type: 'audio', media } : { type: 'audio', media, url };
          }
          case 'file': {
            const { url, ...rest } = item.file_info;
            const media = await this.bytesOf(url, `${path}.file_info.url`);
            const info = url.startsWith('data:') ? rest : { url, ...rest };
            const text = textOf(media, rest.name ?? '');
            if (text !== null) return { type: 'file', media, info, text };
            if (!model.capabilities.files) throw refuse(path, 'files');
            return { type: 'file', media, info };
          }
        }
      }),
    );
  }

  private async bytesOf(url: string, path: string): Promise<Loaded> {
    const inline = decoded(url);
    if (inline) return inline;
    try {
      const response = await this.http.fetch(url, {
        maxBytes: MAX_MEDIA_BYTES,
        timeoutMs: 20_000,
        followRedirects: 3,
      });
      if (!response.ok) throw new Error(`HTTP ${response.status}`);
      const mime = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
      return { mime: mime ?? 'application/octet-stream', data: response.bytes };
    } catch (error) {
      this.logger.warn({ err: error }, 'A medium could not be fetched');
      throw invalid(`${path} could not be fetched (at most ${MAX_MEDIA_BYTES} bytes, from a public address)`);
    }
  }
}

/** Stores the bytes of loaded parts as attachments and answers the parts as they are kept. */
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
    stored.push({ ...rest, attachmentId: await storeAttachment(tx, owner, media) });
  }
  return stored;
}

async function storeAttachment(
  tx: Sql,
  owner: { spaceId: string; sessionRef: string },
  { mime, data }: Loaded,
): Promise<string> {
  const row = await firstRow<{ id: string }>(
    tx,
    `insert into attachment (space_id, session_id, mime, bytes, sha256, data)
     values ($1, $2, $3, $4, $5, $6) returning id`,
    [owner.spaceId, owner.sessionRef, mime, data.length, createHash('sha256').update(data).digest(), data],
  );
  if (row === null) throw new Error('An attachment was not stored');
  return row.id;
}

function decoded(url: string): Loaded | null {
  const uri = parseDataUri(url);
  return uri && { mime: uri.mime, data: Buffer.from(uri.base64, 'base64') };
}

/** The text of a text-like file, or null. */
function textOf({ mime, data }: Loaded, name: string): string | null {
  if (!TEXT_MIMES.test(mime) && !TEXT_NAMES.test(name)) return null;
  const text = data.toString('utf8');
  return text.length > MAX_FILE_CHARS
    ? `${text.slice(0, MAX_FILE_CHARS)}\n[cut after ${MAX_FILE_CHARS} characters]`
    : text;
}
