import type { ReactNode } from 'react';

/** A titled part of a page. */
export function Card({ title, text, children }: { title: string; text?: string; children: ReactNode }) {
  return (
    <section className="card" aria-label={title}>
      <header className="card-head">
        <h2>{title}</h2>
        {text !== undefined && <p>{text}</p>}
      </header>
      <div className="card-body">{children}</div>
    </section>
  );
}
