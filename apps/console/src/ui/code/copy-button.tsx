import { CheckOutlined, CopyOutlined } from '@ant-design/icons';
import { App, Button, type ButtonProps } from 'antd';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

interface CopyButtonProps extends Omit<ButtonProps, 'onClick'> {
  text: string | (() => string);
  /** Accessible name of the button, and its visible text if `showLabel` is true. */
  label: string;
  showLabel?: boolean;
  onCopied?: () => void;
}

export function CopyButton({ text, label, showLabel = false, onCopied, ...button }: CopyButtonProps) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const [copied, setCopied] = useState(false);

  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);

  const copy = async (button: HTMLElement) => {
    if (await writeClipboard(typeof text === 'string' ? text : text(), button)) {
      setCopied(true);
      onCopied?.();
    } else void message.error(t('common.copyFailed'));
  };

  return (
    <Button
      {...button}
      icon={copied ? <CheckOutlined aria-hidden /> : <CopyOutlined aria-hidden />}
      aria-label={copied ? t('common.copied') : label}
      title={showLabel ? undefined : label}
      onClick={({ currentTarget }) => void copy(currentTarget)}
    >
      {showLabel ? (copied ? t('common.copied') : label) : null}
    </Button>
  );
}

/** Whether the text was copied: by a command if the clipboard API is refused, or missing, as it is on plain HTTP. */
async function writeClipboard(text: string, button: HTMLElement): Promise<boolean> {
  if (window.isSecureContext)
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // The command needs no permission.
    }
  const area = document.createElement('textarea');
  area.value = text;
  area.style.position = 'fixed';
  // Beside the button: an open dialog keeps the focus within itself.
  button.after(area);
  area.focus();
  area.select();
  try {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only way without a secure origin
    return document.execCommand('copy');
  } finally {
    area.remove();
    button.focus();
  }
}
