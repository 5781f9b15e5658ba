// Preloaded into the service: if the process that started it is killed, the service stops as on Ctrl-C.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
