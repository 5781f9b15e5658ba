import { EyeOutlined } from '@ant-design/icons';
import type { ToolOffer } from '@platform/contracts';
import { Button, Checkbox } from 'antd';
import { useTranslation } from 'react-i18next';
import type { Column } from '../../../ui/lists/column.ts';
import { hasConflict, isChoosable, keyOf } from './offers.ts';

const TONES = { changed: 'warning', removed: 'danger', new: 'success', unchanged: 'plain' } as const;

interface OfferColumnsOptions {
  chosen: ReadonlySet<string>;
  onChoose: (offer: ToolOffer, isChosen: boolean) => void;
  /** Shows all that the server says of a tool. */
  onOpen: (offer: ToolOffer) => void;
}

/** The columns of what a server offers. */
export function useOfferColumns({ chosen, onChoose, onOpen }: OfferColumnsOptions): Column<ToolOffer>[] {
  const { t } = useTranslation();
  return [
    {
      key: 'name',
      title: t('toolPages.method'),
      render: (offer) => (
        <>
          <Checkbox
            checked={chosen.has(keyOf(offer))}
            disabled={!isChoosable(offer)}
            aria-label={t(`toolMcp.choose.${offer.status}`, { name: offer.name })}
            onChange={({ target }) => onChoose(offer, target.checked)}
          >
            <span className="mono">{offer.name}</span>
          </Checkbox>
          <p className="method-summary beside-checkbox">{offer.description}</p>
        </>
      ),
    },
    {
      key: 'status',
      title: t('toolPages.status'),
      width: 250,
      render: (offer) => (
        <>
          <span className={`badge ${TONES[offer.status]}`}>{t(`toolMcp.statuses.${offer.status}`)}</span>{' '}
          {offer.acts && offer.status === 'new' && <span className="badge plain">{t('toolPages.acts')}</span>}{' '}
          {hasConflict(offer) && <span className="badge warning">{t('toolReimport.conflict')}</span>}{' '}
          {offer.reasons.length > 0 && (
            <span className="badge warning" title={offer.reasons[0]}>
              {t('toolImport.fidelity.simplified')}
            </span>
          )}
        </>
      ),
    },
    {
      key: 'actions',
      title: '',
      width: 60,
      render: (offer) => (
        <Button
          type="text"
          size="small"
          icon={<EyeOutlined aria-hidden />}
          aria-label={t('toolMcp.showNamed', { name: offer.name })}
          title={t('toolMcp.show')}
          onClick={() => onOpen(offer)}
        />
      ),
    },
  ];
}
