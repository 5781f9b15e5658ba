import { Injectable } from '@nestjs/common';
import type { Attachment, Message, MessageContent, Page, Session, TurnStatus } from '@platform/contracts';
import { DataSource } from 'typeorm';
import { firstRow, rows } from '../../infra/database/rows.ts';
import { conflict, notFound } from '../../infra/http/app-error.ts';
import { isText } from '../../infra/http/text.ts';
import type { PageDto } from '../../infra/http/page.dto.ts';
import { Cursors } from '../../infra/http/cursors.ts';
import { findAttachment } from '../records/attachment.store.ts';
import type { StepContent, UserPart } from '../records/steps.ts';

/** Whose sessions of which agent. */
export interface SessionScope {
  agentId: string;
  userId: string;
}

interface SessionRow {
  ref: string;
  sessionId: string;
  title: string;
  turnCount: number;
  runningTurnId: string | null;
  createdAt: Date;
  lastTurnAt: Date;
}

type MessageRow = Extract<StepContent, { kind: 'user' | 'model' | 'partial' }> & {
  id: string;
  turnId: string;
  n: number;
  itemN: number;
  status: TurnStatus;
  createdAt: Date;
};

interface AttachmentRow {
  id: string;
  mime: string;
  bytes: number;
}

const SESSION_COLUMNS = `
  s.id as ref, s.name as "sessionId", s.title, s.turn_count as "turnCount", s.created_at as "createdAt",
  s.last_turn_at as "lastTurnAt",
  (select client_turn_id from turn where session_id = s.id and status = 'RUNNING') as "runningTurnId"`;

/** A page of messages ends early where it would be longer, with one message at least. */
const PAGE_BYTES = 4 * 1024 * 1024;

/** The conversations of a user with an agent, and what was said in them. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly database: DataSource,
    private readonly cursors: Cursors,
  ) {}

  async list({ agentId, userId }: SessionScope, { limit, cursor }: PageDto): Promise<Page<Session>> {
    const filter = ['sessions', agentId, userId];
    const [at, ref] = this.cursors.decode(cursor, filter) ?? [null, null];
    const found = await rows<SessionRow & { position: string }>(
      this.database,
      `select ${SESSION_COLUMNS}, s.last_turn_at::text as position from session s
       where s.agent_id = $1 and s.user_id = $2 and s.deleted_at is null and not s.hidden
         and ($3::text is null or (s.last_turn_at, s.id) < ($3::timestamptz, $4::uuid))
       order by s.last_turn_at desc, s.id desc limit $5`,
      [agentId, userId, at, ref, limit + 1],
    );
    return this.cursors.page(
      found,
      limit,
      filter,
      (row) => [row.position, row.ref],
      (row) => toSession(agentId, row),
    );
  }

  async get(scope: SessionScope, sessionId: string): Promise<Session> {
    return toSession(scope.agentId, await this.find(scope, sessionId));
  }

  /** Hides the session at once; refused while a turn of it runs. */
  async delete(scope: SessionScope, sessionId: string): Promise<void> {
    const { ref } = await this.find(scope, sessionId);
    const deleted = await this.database.transaction(async (tx) => {
      // A start locks its session too: only a statement that begins after it has committed sees its turn.
      await rows(tx, 'select from session where id = $1 for update', [ref]);
      return firstRow(
        tx,
        `update session s set deleted_at = clock_timestamp() where s.id = $1 and not exists
           (select from turn where session_id = s.id and status in ('RUNNING', 'QUEUED')) returning id`,
        [ref],
      );
    });
    if (deleted === null) throw conflict(`Session ${sessionId} has a running turn`);
  }

  /** What was said, newest first, in pages of a bounded size; media as links. */
  async messages(scope: SessionScope, sessionId: string, { limit, cursor }: PageDto): Promise<Page<Message>> {
    const { ref } = await this.find(scope, sessionId);
    const filter = ['messages', ref];
    const [n, itemN] = this.cursors.decode(cursor, filter) ?? [null, null];
    // The row behind the last that fits comes without its content: it only tells that there is more.
    const rowsRead = await rows<MessageRow & { fits: boolean }>(
      this.database,
      `with listed as (
         select i.id, t.client_turn_id, t.n, i.n as item_n, t.status, i.kind, i.created_at,
           coalesce(i.bytes, octet_length(i.content::text)) as bytes
         from turn t join turn_step i on i.turn_id = t.id
         where t.session_id = $1
           and (i.kind = 'user' or (i.kind in ('model', 'partial') and not i.is_silent))
           and ($2::int is null or (t.n, i.n) < ($2, $3::int))
         order by t.n desc, i.n desc limit $4
       ), sized as (
         select *, row_number() over latest as place, sum(bytes) over latest as through
         from listed window latest as (order by n desc, item_n desc)
       ), cut as (
         select *, through <= $5 or place = 1 as fits from sized where through - bytes <= $5 or place <= 2
       )
       select id, client_turn_id as "turnId", n, item_n as "itemN", status, kind, created_at as "createdAt", fits,
         case when fits then (select content from turn_step where id = cut.id) end as content
       from cut order by n desc, item_n desc`,
      [ref, n, itemN, limit + 1, PAGE_BYTES],
    );
    const fitting = rowsRead.findIndex(({ fits }) => !fits);
    const found = fitting < 0 ? rowsRead : rowsRead.slice(0, fitting + 1);
    const size = fitting < 0 ? limit : Math.min(limit, fitting);
    const attachments = await this.attachmentsOf(found.slice(0, size));
    const base = `/api/agents/${scope.agentId}/sessions/${encodeURIComponent(sessionId)}/attachments`;
    const linkOf = (id: string): Attachment => {
      const { mime, bytes } = attachments.get(id) ?? { mime: 'application/octet-stream', bytes: 0 };
      return { id, mime, bytes, url: `${base}/${id}` };
    };
    return this.cursors.page(
      found,
      size,
      filter,
      (row) => [row.n, row.itemN],
      (row) => toMessage(row, linkOf),
    );
  }

  async attachment(
    scope: SessionScope,
    sessionId: string,
    attachmentId: string,
  ): Promise<{ mime: string; data: Buffer }> {
    const { ref } = await this.find(scope, sessionId);
    const found = await findAttachment(this.database, ref, attachmentId);
    if (found === null) throw notFound(`Attachment ${attachmentId} does not exist`);
    return found;
  }

  private async find({ agentId, userId }: SessionScope, sessionId: string): Promise<SessionRow> {
    const row = isText(sessionId)
      ? await firstRow<SessionRow>(
          this.database,
          `select ${SESSION_COLUMNS} from session s
           where s.agent_id = $1 and s.user_id = $2 and s.name = $3 and s.deleted_at is null and not s.hidden`,
          [agentId, userId, sessionId],
        )
      : null;
    if (row === null) throw notFound(`Session ${sessionId} does not exist`);
    return row;
  }

  private async attachmentsOf(messages: MessageRow[]): Promise<Map<string, AttachmentRow>> {
    const ids = messages.flatMap((row) =>
      row.kind === 'user' ? row.content.parts.flatMap((part) => attachmentId(part) ?? []) : [],
    );
    if (ids.length === 0) return new Map();
    const found = await rows<AttachmentRow>(
      this.database,
      'select id, mime, bytes from attachment where id = any($1::uuid[])',
      [ids],
    );
    return new Map(found.map((row) => [row.id, row]));
  }
}

function toSession(agentId: string, row: SessionRow): Session {
  const { sessionId, title, turnCount, runningTurnId } = row;
  const times = { createdAt: row.createdAt.toISOString(), lastTurnAt: row.lastTurnAt.toISOString() };
  return { sessionId, agentId, title, turnCount, runningTurnId, ...times };
}

function toMessage(row: MessageRow, linkOf: (id: string) => Attachment): Message {
  const contents: MessageContent[] =
    row.kind === 'user'
      ? row.content.parts.map((part) => shownPart(part, linkOf))
      : [{ type: 'text', text: row.content.text }];
  return {
    id: row.id,
    turnId: row.turnId,
    role: row.kind === 'user' ? 'user' : 'assistant',
    contents,
    turnStatus: row.status,
    createdAt: row.createdAt.toISOString(),
  };
}

function shownPart(part: UserPart, linkOf: (id: string) => Attachment): MessageContent {
  const id = attachmentId(part);
  const link = id === null ? {} : { attachment: linkOf(id) };
  const url = 'url' in part && part.url !== undefined ? part.url : (link.attachment?.url ?? '');
  switch (part.type) {
    case 'text':
      return part;
    case 'image':
      return { type: 'image_url', image_url: { url, detail: part.detail }, ...link };
    case 'audio':
      return { type: 'audio', audio_url: { url }, ...link };
    case 'file':
      return { type: 'file', file_info: { url: link.attachment?.url, ...part.info }, ...link };
  }
}

function attachmentId(part: UserPart): string | null {
  return 'attachmentId' in part ? (part.attachmentId ?? null) : null;
}
