import Commands
import Posix

extension MetricsWriter {
    /// Names that begin with `process_` are those of Prometheus' own clients.
    mutating func addProcess(_ host: Host) {
        family("gamed_build_info", .gauge, "Always 1; the version is in the label.")
        sample(1, MetricLabel("version", gamedVersion))
        family("process_start_time_seconds", .gauge, "When the daemon began, in seconds since 1970.")
        sample(Double(host.startedAt) / 1e9)
        family("process_cpu_seconds_total", .counter, "The processor's time that the daemon has taken.")
        sample(ProcessorTime.seconds)
        family("process_resident_memory_bytes", .gauge, "What the system has given the daemon, used or free.")
        sample(Heap.resident)
        family("gamed_memory_used_bytes", .gauge, "What the daemon has allocated.")
        sample(Heap.used)
        addDescriptors()
        family("gamed_log_lines_lost_total", .counter, "Lines of the log that nobody read in time.")
        sample(host.log.lost)
    }

    private mutating func addDescriptors() {
        if let count = OpenDescriptors.count {
            family("process_open_fds", .gauge, "Descriptors that are open.")
            sample(count)
        }
        if let most = OpenDescriptors.maxCount {
            family("process_max_fds", .gauge, "Descriptors that may be open.")
            sample(most)
        }
    }
}
