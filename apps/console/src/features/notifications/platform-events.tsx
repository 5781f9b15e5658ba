import type { PlatformEvents as Events } from '@platform/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { App, Switch } from 'antd';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { client, keys, queryClient } from '../../api.ts';
import { paths } from '../../paths.ts';
import { Card } from '../../ui/layout/card.tsx';
import { getErrorMessage } from '../../ui/layout/errors.ts';
import { Loaded } from '../../ui/layout/states.tsx';

const APPLICATION = 'platform';
const TONES: Record<Events['events'][number]['severity'], string> = {
  info: 'plain',
  warning: 'warning',
  error: 'danger',
};

/** Whether what channels are told are events, to which tasks of the space subscribe like to any other. */
export function PlatformEvents() {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const stored = useQuery({
    queryKey: keys.platformEvents,
    queryFn: () => client.notifications.getPlatformEvents(),
  });
  const change = useMutation({
    mutationFn: (enabled: boolean) => client.notifications.updatePlatformEvents({ enabled }),
    onSuccess: (changed) => {
      queryClient.setQueryData(keys.platformEvents, changed);
      void queryClient.invalidateQueries({ queryKey: keys.catalog });
      void queryClient.invalidateQueries({ queryKey: keys.applications });
    },
    onError: (error) => void message.error(getErrorMessage(error, t)),
  });
  return (
    <Card title={t('notifications.platform.title')} text={t('notifications.platform.text')}>
      <Loaded query={stored}>
        {({ enabled, events }) => (
          <div className="stack">
            <div className="row">
              <Switch
                id="platform-events"
                checked={enabled}
                loading={change.isPending}
                onChange={(next) => change.mutate(next)}
              />
              <label htmlFor="platform-events">{t('notifications.platform.enable')}</label>
            </div>
            {!enabled && <p className="muted">{t('notifications.platform.offText')}</p>}
            <ul className="stack">
              {events.map(({ name, severity, description }) => (
                <li key={name}>
                  <span className="row wrap">
                    {enabled ? (
                      <Link
                        className="mono"
                        to={`${paths.catalog}?event=${encodeURIComponent(`${APPLICATION}/${name}`)}`}
                      >
                        {name}
                      </Link>
                    ) : (
                      <span className="mono">{name}</span>
                    )}
                    <span className={`badge ${TONES[severity]}`}>
                      {t(`notifications.severity.${severity}`)}
                    </span>
                  </span>
                  <p className="muted">
                    {t(`notifications.eventTexts.${name}`, { defaultValue: description })}
                  </p>
                </li>
              ))}
            </ul>
          </div>
        )}
      </Loaded>
    </Card>
  );
}
