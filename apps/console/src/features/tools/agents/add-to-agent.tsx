import { RobotOutlined } from '@ant-design/icons';
import type { Tool } from '@platform/contracts';
import { Button } from 'antd';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyPart } from '../../../ui/layout/lazy-part.tsx';

const AddToAgentDialog = lazyPart(() =>
  import('./add-to-agent-dialog.tsx').then((module) => ({ default: module.AddToAgentDialog })),
);

/** Offers to give a tool to an agent. */
export function AddToAgent({ tool }: { tool: Pick<Tool, 'id' | 'name'> }) {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button icon={<RobotOutlined aria-hidden />} onClick={() => setIsOpen(true)}>
        {t('toolAgents.add')}
      </Button>
      {isOpen && (
        <Suspense>
          <AddToAgentDialog tool={tool} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
