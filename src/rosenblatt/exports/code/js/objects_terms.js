
function entriesOf(row) {
  const features = read(row).features.map(([name, value]) => [INDEX_OF.get(name) ?? -1, value]);
  return features.filter(([index]) => index >= 0).sort(([a], [b]) => a - b);
}
