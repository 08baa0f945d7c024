// Processor time by process, as the system counts it: what bounds a figure is seen there.

import Foundation
import Glibc

enum ProcessorTime {
    /// The CPU time that a process has used so far, in seconds.
    static func seconds(of process: pid_t) -> Double { counted(process).own }

    /// The same of a server and of all processes that it has started, those that have ended included.
    static func secondsOfFamily(_ parent: pid_t) -> Double {
        let children = processes().filter { self.parent(of: $0) == parent }
        let (own, ended) = counted(parent)
        return own + ended + children.map { seconds(of: $0) }.reduce(0, +)
    }

    /// Of this program.
    static var ownSeconds: Double { seconds(of: getpid()) }

    private static func processes() -> [pid_t] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { pid_t($0) }
    }

    private static func parent(of process: pid_t) -> pid_t? {
        let fields = fields(of: process)
        return fields.count > 2 ? pid_t(fields[2]) : nil
    }

    private static func counted(_ process: pid_t) -> (own: Double, ended: Double) {
        let fields = fields(of: process)
        guard fields.count > 15 else { return (0, 0) }
        let times = fields[12...15].map { (Double($0) ?? 0) / Double(sysconf(Int32(_SC_CLK_TCK))) }
        return (times[0] + times[1], times[2] + times[3])
    }

    /// After the name, which may have anything in it: the state, the parent, and other numbers.
    private static func fields(of process: pid_t) -> [Substring] {
        let text = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
        return text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
    }
}
