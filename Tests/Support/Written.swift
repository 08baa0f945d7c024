// What a program writes.

import Foundation

/// Whether the text is in the file, or comes to be within that time. What has been looked at is not looked at again: logs have megabytes.
package func isSoonWritten(_ text: String, in file: URL, within limit: Duration) -> Bool {
    guard let handle = try? FileHandle(forReadingFrom: file) else { return false }
    let (wanted, end) = (Data(text.utf8), ContinuousClock.now.advanced(by: limit))
    var news = Data()
    while true {
        // What is written last may be half of it.
        let isLastTime = ContinuousClock.now > end
        news.append((try? handle.readToEnd()) ?? Data())
        if news.range(of: wanted) != nil { return true }
        if isLastTime { return false }
        news = Data(news.suffix(wanted.count - 1))
        Thread.sleep(forTimeInterval: 0.02)
    }
}
