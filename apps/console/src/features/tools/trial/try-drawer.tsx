import { PlayCircleOutlined } from '@ant-design/icons';
import type { Tool, ToolMethod } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { Alert, Button, Drawer } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client } from '../../../api.ts';
import { CopyCode } from '../../../ui/code/copy-code.tsx';
import { useGuardedClose } from '../../../ui/forms/use-guarded-close.ts';
import { CallError, CallResult } from './call-result.tsx';
import { formatCurl, formatFetch } from './invoke-code.ts';
import { TrialInput, useTrialInput } from './trial-input.tsx';

interface TryDrawerProps {
  tool: Tool;
  method: ToolMethod;
  onClose: () => void;
}

/** Calls a method with an input that is prepared from its schema, and edited in a form or as JSON. */
export function TryDrawer({ tool, method, onClose }: TryDrawerProps) {
  const { t } = useTranslation();
  const trial = useTrialInput(method);
  const { text, input, prepared } = trial;
  const [sent, setSent] = useState(prepared);
  const { close } = useGuardedClose(() => text !== prepared && text !== sent, onClose);
  const canSend = input !== undefined && trial.isValid;
  const call = useMutation({
    mutationFn: (value: Record<string, unknown>) =>
      client.tools.invoke(tool.id, method.name, { input: value }, { timeoutMs: 0 }),
  });
  const send = () => {
    if (canSend) call.mutate(input, { onSuccess: () => setSent(text) });
  };
  const request = {
    baseUrl: window.location.origin,
    toolId: tool.id,
    method: method.name,
    input: input ?? {},
  };
  return (
    <Drawer open onClose={close} size={640} title={t('toolPages.tryNamed', { name: method.name })}>
      <div className="stack">
        {method.description !== '' && <p className="muted">{method.description}</p>}
        {method.acts && <Alert type="warning" showIcon title={t('toolPages.actsWarning')} />}
        <TrialInput trial={trial} />
        <div className="row wrap">
          <Button
            type="primary"
            icon={<PlayCircleOutlined aria-hidden />}
            disabled={!canSend}
            loading={call.isPending}
            onClick={send}
          >
            {t('toolPages.call')}
          </Button>
          {canSend && (
            <CopyCode
              forms={{ cURL: () => formatCurl(request), fetch: () => formatFetch(request) }}
              title={(form) => t('toolPages.code', { form })}
              hint={t('toolPages.codeHint')}
            />
          )}
        </div>
      </div>
      <div className="call-result" aria-live="polite">
        {call.error !== null && <CallError error={call.error} />}
        {call.data && <CallResult result={call.data} />}
      </div>
    </Drawer>
  );
}
