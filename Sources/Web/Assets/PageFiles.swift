// The page's files by name, as they are compiled in from the folder Page.

import CPage

enum PageFiles {
    private static let numbers: [String: Int] = {
        var numbers: [String: Int] = [:]
        while let name = gamed_page_file(numbers.count).name { numbers[String(cString: name)] = numbers.count }
        return numbers
    }()

    static var names: Set<String> { Set(numbers.keys) }

    static func bytes(of name: String) -> [UInt8]? {
        guard let number = numbers[name] else { return nil }
        let file = gamed_page_file(number)
        return Array(UnsafeBufferPointer(start: file.bytes, count: file.size))
    }
}
