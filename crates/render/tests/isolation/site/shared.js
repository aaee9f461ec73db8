// A shared worker: its requests belong to no page.
for (const base of JSON.parse(new URL(location).searchParams.get('bases'))) {
  fetch(`${base}/c/shared-worker`, { mode: 'no-cors' }).catch(() => {});
}
