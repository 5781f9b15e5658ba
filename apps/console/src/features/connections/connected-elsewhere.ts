const CHANNEL = 'platform.connected';

/** Tells the other tabs that an account was connected. */
export function tellConnected(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(null);
  channel.close();
}

/** Calls back when another tab has connected an account. Returns what ends that. */
export function onConnectedElsewhere(call: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = call;
  return () => channel.close();
}
