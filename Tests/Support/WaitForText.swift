// Waits for text in a file that a program writes.

import Foundation

/// Returns whether the file contains the text within the limit of time. Reads each part once, since logs have megabytes.
package func waitForText(_ text: String, in file: URL) -> Bool {
    guard let handle = try? FileHandle(forReadingFrom: file) else { return false }
    let (wanted, end) = (Data(text.utf8), ContinuousClock.now.advanced(by: .seconds(waitLimit)))
    var news = Data()
    while true {
        // The end of the file may be an unfinished line.
        let isLastTime = ContinuousClock.now > end
        news.append((try? handle.readToEnd()) ?? Data())
        if news.range(of: wanted) != nil { return true }
        if isLastTime { return false }
        news = Data(news.suffix(wanted.count - 1))
        Thread.sleep(forTimeInterval: 0.02)
    }
}
