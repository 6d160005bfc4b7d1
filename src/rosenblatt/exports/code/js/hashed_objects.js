function entriesOf(row) {
  const { features, texts } = read(row);
  return hashedEntries(features, texts);
}
