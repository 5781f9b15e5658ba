import { useQuery } from '@tanstack/react-query';
import { Select, type SelectProps } from 'antd';
import { useTranslation } from 'react-i18next';
import { catalogQuery, listEventOptions } from './catalog-query.ts';

/** A field for one of the registered events. A form item sets its value. */
export function EventSelect(field: SelectProps<string>) {
  const { t } = useTranslation();
  const catalog = useQuery(catalogQuery);
  return (
    <Select<string>
      {...field}
      loading={catalog.isPending}
      placeholder={t('subscriptions.eventPlaceholder')}
      showSearch={{ optionFilterProp: 'label' }}
      options={listEventOptions(catalog.data)}
      {...(catalog.isLoadingError && { notFoundContent: t('names.notLoaded') })}
    />
  );
}
