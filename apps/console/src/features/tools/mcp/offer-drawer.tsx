import type { Tool, ToolOffer } from '@platform/contracts';
import { Alert, Checkbox, Drawer } from 'antd';
import { useTranslation } from 'react-i18next';
import { JsonView } from '../../../ui/code/json-view.tsx';
import { DiffLines } from '../../../ui/diff/diff-lines.tsx';
import { hasConflict, listChanges, methodOf } from './offers.ts';

interface OfferDrawerProps {
  tool: Tool;
  offer: ToolOffer;
  keepsEdits: boolean;
  onKeepEdits: (keepsEdits: boolean) => void;
  onClose: () => void;
}

/** What a server says of a tool, word for word, and what it has changed. */
export function OfferDrawer({ tool, offer, keepsEdits, onKeepEdits, onClose }: OfferDrawerProps) {
  const { t } = useTranslation();
  const method = methodOf(tool, offer);
  const changes = method === undefined || offer.status !== 'changed' ? [] : listChanges(method);
  return (
    <Drawer open onClose={onClose} size={720} title={offer.name}>
      <div className="stack">
        <p className="muted">{t('toolMcp.offeredAs', { name: offer.tool })}</p>
        {offer.status === 'changed' && <Alert type="warning" showIcon title={t('toolMcp.changedText')} />}
        {offer.reasons.length > 0 && (
          <Alert
            type="info"
            showIcon
            title={t('toolMcp.simplified')}
            description={offer.reasons.map((reason) => (
              <p key={reason}>{reason}</p>
            ))}
          />
        )}
        {hasConflict(offer) && (
          <Checkbox checked={keepsEdits} onChange={({ target }) => onKeepEdits(target.checked)}>
            {t('toolMcp.keepEdits')}
          </Checkbox>
        )}
        {changes.map(({ field, lines }) => (
          <section key={field} className="stack">
            <h3>{t(`toolReimport.fields.${field}`)}</h3>
            <DiffLines lines={lines} label={t(`toolReimport.fields.${field}`)} />
          </section>
        ))}
        {changes.length === 0 && offer.hash !== null && (
          <>
            <section className="stack">
              <h3>{t('common.description')}</h3>
              <p className="offer-text">{offer.description === '' ? '–' : offer.description}</p>
            </section>
            {offer.inputSchema !== null && (
              <section className="stack">
                <h3>{t('toolPages.inputSchema')}</h3>
                <JsonView value={offer.inputSchema} label={t('toolPages.inputSchema')} />
              </section>
            )}
          </>
        )}
      </div>
    </Drawer>
  );
}
