import { ArrowUpOutlined, CloseOutlined, PaperClipOutlined } from '@ant-design/icons';
import type { ContentItem } from '@platform/contracts';
import { Button, Input } from 'antd';
import type { TextAreaRef } from 'antd/es/input/TextArea';
import { useEffect, useRef, useState, type ClipboardEvent, type KeyboardEvent, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { MAX_ATTACHED_BYTES, type Attached, type Attachments } from './contents/attachments.ts';
import { ATTACHMENT_KINDS } from './contents/part-kinds.ts';

interface ComposerProps {
  /** The text that it begins with. */
  draft: string;
  /** Called with each text, and with an empty one when it is sent. */
  onText: (text: string) => void;
  attachments: Attachments;
  /** A turn is running. Text can be entered, but not sent. */
  busy: boolean;
  /** Cancellation of the turn was requested. */
  stopping: boolean;
  /** Why the message cannot be sent; null if it can. */
  blocked: string | null;
  /** Whether a message without words can be sent, because the prompt has variables. */
  canBeEmpty: boolean;
  /** What is shown between the buttons; by default, which keys send. */
  children?: ReactNode;
  onSend: (contents: ContentItem[]) => void;
  onStop: () => void;
}

/** The message input. Enter sends, Shift+Enter inserts a line break; files are added by button, paste, or drop. */
export function Composer({
  draft,
  onText,
  attachments,
  busy,
  stopping,
  blocked,
  canBeEmpty,
  onSend,
  onStop,
  children,
}: ComposerProps) {
  const { t } = useTranslation();
  const [text, setText] = useState(draft);
  const input = useRef<TextAreaRef>(null);
  const empty = text.trim() === '' && attachments.items.length === 0 && !canBeEmpty;

  useEffect(() => input.current?.focus(), []);

  const write = (next: string) => {
    setText(next);
    onText(next);
  };

  const send = () => {
    if (empty || busy || blocked !== null) return;
    const said: ContentItem[] = text.trim() === '' ? [] : [{ type: 'text', text: text.trim() }];
    const contents = [...said, ...attachments.items.map(({ content }) => content)];
    // First: what is left moves to the conversation that begins.
    write('');
    attachments.clear();
    onSend(contents);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    // Enter that confirms the text of an input method must not send the message.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };

  const onPaste = (event: ClipboardEvent) => {
    if (event.clipboardData.files.length === 0) return;
    event.preventDefault();
    void attachments.add(event.clipboardData.files);
  };

  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <AttachedFiles attachments={attachments} />
      {blocked !== null && <p className="composer-blocked muted">{blocked}</p>}
      <Input.TextArea
        ref={input}
        variant="borderless"
        autoSize={{ minRows: 1, maxRows: 10 }}
        value={text}
        onChange={(event) => write(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        placeholder={t('playground.placeholder')}
        aria-label={t('playground.message')}
      />
      <div className="row">
        <AttachButton onFiles={(files) => void attachments.add(files)} />
        {children}
        <span className="composer-hint grow">{t('playground.keys')}</span>
        {busy ? (
          <StopButton isStopping={stopping} onStop={onStop} />
        ) : (
          <SendButton isEmpty={empty} blocked={blocked} />
        )}
      </div>
    </form>
  );
}

function SendButton({ isEmpty, blocked }: { isEmpty: boolean; blocked: string | null }) {
  const { t } = useTranslation();
  return (
    <Button
      type="primary"
      shape="circle"
      htmlType="submit"
      icon={<ArrowUpOutlined aria-hidden />}
      aria-label={t('playground.send')}
      disabled={isEmpty || blocked !== null}
      title={blocked ?? undefined}
    />
  );
}

function StopButton({ isStopping, onStop }: { isStopping: boolean; onStop: () => void }) {
  const { t } = useTranslation();
  return (
    <Button
      shape="circle"
      icon={<StopIcon />}
      loading={isStopping}
      aria-label={t(isStopping ? 'playground.stopping' : 'playground.stop')}
      title={t('playground.stop')}
      onClick={onStop}
    />
  );
}

const StopIcon = () => <span className="stop-icon" aria-hidden />;

/** The files of the message, and the names of those that cannot be attached. */
function AttachedFiles({ attachments }: Pick<ComposerProps, 'attachments'>) {
  const { t } = useTranslation();
  const { tooLarge, unreadable } = attachments.refused;
  return (
    <>
      {attachments.items.length > 0 && (
        <ul className="attached" aria-label={t('playground.attachments')}>
          {attachments.items.map((item) => (
            <AttachedChip key={item.key} item={item} onRemove={() => attachments.remove(item.key)} />
          ))}
        </ul>
      )}
      {tooLarge.length > 0 && (
        <p role="alert" className="danger-text">
          {t('playground.tooLarge', {
            names: tooLarge.join(', '),
            limit: MAX_ATTACHED_BYTES / 1024 / 1024,
          })}
        </p>
      )}
      {unreadable.length > 0 && (
        <p role="alert" className="danger-text">
          {t('playground.unreadable', { names: unreadable.join(', ') })}
        </p>
      )}
    </>
  );
}

function AttachButton({ onFiles }: { onFiles: (files: File[]) => void }) {
  const { t } = useTranslation();
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
      <Button
        type="text"
        icon={<PaperClipOutlined aria-hidden />}
        aria-label={t('playground.attach')}
        title={t('playground.attachHint', { limit: MAX_ATTACHED_BYTES / 1024 / 1024 })}
        onClick={() => picker.current?.click()}
      />
    </>
  );
}

function AttachedChip({ item, onRemove }: { item: Attached; onRemove: () => void }) {
  const { t } = useTranslation();
  const { content } = item;
  const kind = ATTACHMENT_KINDS[content.type];
  return (
    <li>
      {kind.shown === 'visible' ? <kind.Preview src={kind.getUrl(content)} name="" /> : kind.icon}
      <span className="truncate">{item.name}</span>
      <Button
        type="text"
        size="small"
        icon={<CloseOutlined aria-hidden />}
        aria-label={t('playground.removeAttachment', { name: item.name })}
        onClick={onRemove}
      />
    </li>
  );
}
