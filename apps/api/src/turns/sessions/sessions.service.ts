import { Injectable } from '@nestjs/common';
import type { Message, MessageContent, Page, Session } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { Database } from '../../infra/database/database.ts';
import { conflict, notFound } from '../../infra/errors/app-error.ts';
import { Cursors } from '../../infra/requests/cursors.ts';
import type { PageDto } from '../../infra/requests/page.dto.ts';
import { isText } from '../../infra/requests/text.ts';
import { findAttachment } from '../records/attachment.store.ts';
import type { UserPart } from '../records/steps.ts';
import { loadAttachmentLinks, showPart, type AttachmentLink } from './attachment-links.ts';
import {
  deleteSession,
  findSession,
  findSessionId,
  listMessages,
  listSessions,
  renameSession,
  type ListedSession,
  type MessageRow,
  type SessionScope,
} from './sessions.store.ts';

/** A page of messages ends early if it would be longer; it contains at least one message. */
const PAGE_BYTES = 4 * 1024 * 1024;

/** The sessions of a user with an agent, and their messages. */
@Injectable()
export class SessionsService {
  private readonly endings: ((tx: EntityManager, sessionRef: string) => Promise<void>)[] = [];

  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
  ) {}

  /** Registers what ends with a session, in the transaction that deletes it. */
  onDelete(end: (tx: EntityManager, sessionRef: string) => Promise<void>): void {
    this.endings.push(end);
  }

  async list(scope: SessionScope, { limit, cursor }: PageDto): Promise<Page<Session>> {
    const filter = ['sessions', scope.agentId, scope.userId];
    const decoded = this.cursors.decode(cursor, filter);
    const after = decoded && { position: String(decoded[0]), id: String(decoded[1]) };
    const found = await listSessions(this.database.manager, scope, after, limit + 1);
    return this.cursors.page(
      found,
      limit,
      filter,
      ({ position, session }) => [position, session.id],
      toSession,
    );
  }

  async get(scope: SessionScope, sessionId: string): Promise<Session> {
    return toSession(await this.find(scope, sessionId));
  }

  async rename(scope: SessionScope, sessionId: string, title: string): Promise<Session> {
    const { session } = await this.find(scope, sessionId);
    await renameSession(this.database, session.id, title.trim());
    return this.get(scope, sessionId);
  }

  /** Throws CONFLICT while a turn of the session is queued or runs. One that waits for a person ends. */
  async delete(scope: SessionScope, sessionId: string): Promise<void> {
    const { session } = await this.find(scope, sessionId);
    const deleted = await this.database.transaction(async (tx) => {
      if (!(await deleteSession(tx, session.id))) return false;
      for (const end of this.endings) await end(tx, session.id);
      return true;
    });
    if (!deleted) throw conflict(`Session ${sessionId} has a turn that is queued or running`);
  }

  /** The messages of a session, newest first, in pages of bounded size. Media are links. */
  async messages(scope: SessionScope, sessionId: string, { limit, cursor }: PageDto): Promise<Page<Message>> {
    const { session } = await this.find(scope, sessionId);
    const filter = ['messages', session.id];
    const decoded = this.cursors.decode(cursor, filter);
    const before = decoded && { turn: Number(decoded[0]), n: Number(decoded[1]) };
    const read = await listMessages(this.database, session.id, before, limit + 1, PAGE_BYTES);
    const fitting = read.findIndex(({ fits }) => !fits);
    const found = fitting < 0 ? read : read.slice(0, fitting + 1);
    const size = fitting < 0 ? limit : Math.min(limit, fitting);
    const linkOf = await loadAttachmentLinks(
      this.database,
      { agentId: scope.agentId, sessionId },
      found.slice(0, size).flatMap(userParts),
    );
    return this.cursors.page(
      found,
      size,
      filter,
      ({ turn, n }) => [turn, n],
      (row) => toMessage(row, linkOf),
    );
  }

  async attachment(
    scope: SessionScope,
    sessionId: string,
    attachmentId: string,
  ): Promise<{ mime: string; data: Buffer }> {
    const session = isText(sessionId) ? await findSessionId(this.database.manager, scope, sessionId) : null;
    if (session === null) throw notFound(`Session ${sessionId} does not exist`);
    const found = await findAttachment(this.database, session, attachmentId);
    if (found === null) throw notFound(`Attachment ${attachmentId} does not exist`);
    return found;
  }

  private async find(scope: SessionScope, sessionId: string): Promise<ListedSession> {
    const found = isText(sessionId) ? await findSession(this.database.manager, scope, sessionId) : null;
    if (found === null) throw notFound(`Session ${sessionId} does not exist`);
    return found;
  }
}

function toSession({ session, runningTurnId }: ListedSession): Session {
  const { name, agentId, title, turnCount, createdAt, lastTurnAt } = session;
  return {
    sessionId: name,
    agentId,
    title,
    turnCount,
    runningTurnId,
    createdAt: createdAt.toISOString(),
    lastTurnAt: lastTurnAt.toISOString(),
  };
}

function userParts(row: MessageRow): UserPart[] {
  return row.kind === 'user' ? row.content.parts : [];
}

function toMessage(row: MessageRow, linkOf: AttachmentLink): Message {
  const contents: MessageContent[] =
    row.kind === 'user'
      ? row.content.parts.map((part) => showPart(part, linkOf))
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
