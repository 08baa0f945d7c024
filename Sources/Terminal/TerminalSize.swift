// A terminal's capabilities: its size, and its characters.

import Glibc
import Posix

package struct TerminalSize: Equatable, Sendable {
    package var columns = 80
    package var rows = 24

    package init(columns: Int = 80, rows: Int = 24) {
        self.columns = columns
        self.rows = rows
    }

    /// The size now; 80 by 24 if the terminal does not tell.
    package static func of(descriptor: Int32) -> TerminalSize {
        var window = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
            return TerminalSize()
        }
        return TerminalSize(columns: Int(window.ws_col), rows: Int(window.ws_row))
    }
}

package enum TerminalEncoding {
    /// Whether the user's locale says UTF-8.
    package static var isUTF8: Bool {
        let names = ["LC_ALL", "LC_CTYPE", "LANG"]
        let locale = names.lazy.compactMap(environmentVariable).first
        return locale?.lowercased().replacing("-", with: "").contains("utf8") ?? false
    }
}
