// The daemon's process: its version, and what the system lets it have.

import Glibc
import Posix

/// A process's data in /proc; nil where it may not be read, such as another user's.
package struct ProcessFacts: Equatable {
    package var programIsGone = false
    /// The base of the process's relative paths.
    package var workingDirectory: String?
    /// Its folder in /proc, if its files can be seen from there and it is certainly the daemon: another container may have a process of the same
    /// number, and no data directory's lock.
    package var folderOfDaemon: String?
    package var openDescriptors: Int?
    package var maxDescriptors: Int?
    package var residentBytes: Int?
    /// The memory that the machine, or the service's own limit, leaves for it.
    package var availableBytes: Int?

    package init() {}

    init(of process: Int) {
        let folder = "/proc/\(process)"
        programIsGone = linkTarget(folder + "/exe")?.hasSuffix(" (deleted)") ?? false
        workingDirectory = linkTarget(folder + "/cwd")
        let descriptors = FolderListing.names(in: folder + "/fd")
        openDescriptors = descriptors?.count
        if descriptors?.contains(where: { Self.isLock(linkTarget("\(folder)/fd/\($0)")) }) ?? false { folderOfDaemon = folder }
        maxDescriptors = Self.text(folder + "/limits").flatMap(Self.maxDescriptors)
        residentBytes = Self.text(folder + "/status").flatMap { Self.kilobytes("VmRSS:", in: $0) }
        availableBytes = Self.text("/proc/meminfo").flatMap { Self.kilobytes("MemAvailable:", in: $0) }
        if let group = Self.text(folder + "/cgroup").flatMap(Self.group), let left = Self.bytesLeft(in: group) {
            availableBytes = min(left, availableBytes ?? left)
        }
    }

    /// A path as the process says it, for others; nil if it is relative, and its working directory may not be read.
    package func absolute(_ path: String) -> String? {
        path.hasPrefix("/") ? path : workingDirectory.map { "\($0)/\(path)" }
    }

    // MARK: Reading

    /// Whether a descriptor is that of a data directory's lock, which the daemon has open, also after it was deleted.
    static func isLock(_ target: String?) -> Bool {
        let name = target?.split(separator: "/").last
        return name == "gamed.lock" || name == "gamed.lock (deleted)"
    }

    static func maxDescriptors(in limits: String) -> Int? {
        let line = limits.split(whereSeparator: \.isNewline).first { $0.hasPrefix("Max open files") }
        return line?.split(separator: " ").dropFirst(3).first.flatMap { Int($0) }
    }

    static func kilobytes(_ name: String, in text: String) -> Int? {
        let line = text.split(whereSeparator: \.isNewline).first { $0.hasPrefix(name) }
        return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) }.map { $0 << 10 }
    }

    /// The path of the group that bounds it, in version 2 of the system's groups.
    static func group(in text: String) -> String? {
        text.split(whereSeparator: \.isNewline).first { $0.hasPrefix("0::") }.map { "/sys/fs/cgroup" + $0.dropFirst(3) }
    }

    private static func bytesLeft(in group: String) -> Int? {
        let number = { (name: String) in
            text(group + "/" + name).flatMap { Int($0.prefix { !$0.isNewline }) }
        }
        guard let most = number("memory.max"), let used = number("memory.current") else { return nil }
        return max(0, most - used)
    }

    static func text(_ path: String) -> String? {
        guard let bytes = try? PlainFile.bytes(path, atMost: 1 << 20) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Finding {
    static func version(_ report: DaemonReport, _ facts: ProcessFacts?, own: String = gamedVersion) -> Finding {
        let version = report["gamed_version"] ?? "?"
        if facts?.programIsGone == true {
            return .doubtful(
                "version", "gamed \(version) runs, but its program file was replaced since the start",
                "restart it: systemctl restart gamed")
        }
        guard version == own else {
            return .doubtful(
                "version", "the daemon is gamed \(version), and this gamectl \(own)",
                "install the same version of both, and restart the daemon")
        }
        return .good("version", "gamed \(version), same as this gamectl")
    }

    /// Each connection takes a descriptor; the daemon itself takes fewer than `own`.
    static func descriptors(_ report: DaemonReport, _ facts: ProcessFacts) -> Finding? {
        let own = 64
        guard let most = facts.maxDescriptors else { return nil }
        let connections = report.number("limit_connections")
        if let open = facts.openDescriptors, open > most - most / 10 {
            return .bad(
                "limits", "\(open) of \(most) file descriptors are open; a new client needs one",
                "raise LimitNOFILE= of the service, or lower --limit connections=N below \(most - own)")
        }
        guard connections + own <= most else {
            return .doubtful(
                "limits",
                "\(connections) connections are allowed, but only \(most) file descriptors: clients wait before the limit is reached",
                "raise LimitNOFILE= of the service to \(connections + own), or set --limit connections=\(max(1, most - own))")
        }
        return .good("limits", "\(facts.openDescriptors.map { "\($0) of " } ?? "")\(most) file descriptors")
    }

    static func memory(_ facts: ProcessFacts) -> Finding? {
        guard let used = facts.residentBytes, let left = facts.availableBytes else { return nil }
        let words = "\(used.bytesWritten) used, \(left.bytesWritten) left"
        guard left >= max(64 << 20, used / 10) else {
            return .doubtful(
                "memory", words,
                "add memory, raise MemoryMax= of the service, or lower --limit sessions=N and history=N")
        }
        return .good("memory", words)
    }
}
