import { Suspense, type ReactNode } from 'react';

/** Takes the place of a chart that is loaded, with its height. */
export function ChartSpace() {
  return <div className="chart-space" aria-hidden />;
}

interface ListPictureProps {
  list: { loading: boolean; items: readonly unknown[] };
  /** The picture of what the list has; its code is loaded with it. */
  children: ReactNode;
}

/** The place of a picture above a list, which an empty list does not have. */
export function ListPicture({ list, children }: ListPictureProps) {
  if (list.loading) return <ChartSpace />;
  return list.items.length > 0 && <Suspense fallback={<ChartSpace />}>{children}</Suspense>;
}
