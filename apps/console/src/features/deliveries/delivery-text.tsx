import './deliveries.css';

/** A request or a response. All of it is foreign text. */
export function DeliveryText({ title, text }: { title: string; text: string }) {
  return (
    <section className="delivery-text">
      <p className="muted">{title}</p>
      <pre className="code-block" tabIndex={0} role="group" aria-label={title}>
        {text}
      </pre>
    </section>
  );
}
