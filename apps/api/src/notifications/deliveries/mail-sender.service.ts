import { connect, isIP, type Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import { createTransport } from 'nodemailer';
import { storable } from '../../infra/errors/storable.ts';
import { GuardedHttp } from '../../infra/outgoing/guarded-http.ts';
import type { SmtpSettings } from '../channels/notification-channel.entity.ts';
import { linesOf, titleOf, type Message } from '../messages/message.ts';
import type { Sent } from './notification-delivery.entity.ts';

const CONNECT_MS = 5_000;
const IDLE_MS = 15_000;
/** Of the whole attempt. */
const TOTAL_MS = 30_000;
/** What a mail server may say in one attempt. */
const MAX_ANSWER_BYTES = 262_144;
const WATCH_MS = 100;

/** Sends messages as mail. Connects only to addresses that outgoing calls may reach. */
@Injectable()
export class MailSenderService {
  constructor(private readonly http: GuardedHttp) {}

  /** Makes one attempt. A failure is a result. */
  async send(settings: SmtpSettings, password: string | null, message: Message): Promise<Sent> {
    const { host, port, security, username, from, to } = settings;
    const lines = linesOf(message).map(({ text, url }) => (url === null ? text : `- ${text}\n  ${url}`));
    const mail = { subject: titleOf(message), text: `${lines.join('\n')}\n` };
    const request = {
      method: 'MAIL',
      url: `smtp://${host}:${port}`,
      headers: { From: from, To: to.join(', '), Subject: mail.subject },
      body: mail.text,
    };
    let watched: Watched | null = null;
    try {
      watched = watch(connect({ host: await this.http.findAddress(host, port), port }));
      const transport = createTransport({
        host,
        port,
        // The connection goes to the address that was checked, and the name is not resolved again.
        getSocket: (_options, use) => {
          watched?.use(use);
        },
        secure: security === 'tls',
        requireTLS: security === 'starttls',
        ignoreTLS: security === 'none',
        tls: isIP(host) === 0 ? { servername: host } : {},
        ...(username !== null && { auth: { user: username, pass: password ?? '' } }),
        name: 'platform',
        connectionTimeout: CONNECT_MS,
        greetingTimeout: CONNECT_MS,
        socketTimeout: IDLE_MS,
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      const messageId = `<${message.deliveryId}@platform>`;
      const sent = await transport.sendMail({ ...mail, from, to, messageId, date: message.at });
      return { request, response: { status: 250, body: cut(sent.response) }, error: null };
    } catch (error) {
      const { responseCode, response } = error as { responseCode?: unknown; response?: unknown };
      if (typeof responseCode !== 'number') return { request, response: null, error: 'No response' };
      const body = typeof response === 'string' ? cut(response) : '';
      return { request, response: { status: responseCode, body }, error: `SMTP ${responseCode}` };
    } finally {
      watched?.end();
    }
  }
}

type UseSocket = (error: Error | null, socket?: { connection: Socket }) => void;

interface Watched {
  use: (callback: UseSocket) => void;
  end: () => void;
}

/** Ends a connection on which too much is said, or for too long. */
function watch(socket: Socket): Watched {
  const started = performance.now();
  const timer = setInterval(() => {
    const took = performance.now() - started;
    if (took > TOTAL_MS || socket.bytesRead > MAX_ANSWER_BYTES || (socket.connecting && took > CONNECT_MS))
      socket.destroy(new Error('The mail server says too much, or too slowly'));
  }, WATCH_MS);
  return {
    use: (callback) => {
      socket.once('error', callback);
      socket.once('connect', () => {
        socket.off('error', callback);
        callback(null, { connection: socket });
      });
    },
    end: () => {
      clearInterval(timer);
      socket.on('error', () => undefined);
      socket.destroy();
    },
  };
}

const cut = (text: string) => storable(text).slice(0, 1_000);
