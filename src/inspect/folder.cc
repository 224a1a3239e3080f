// See inspect/folder.h.
#include "inspect/folder.h"

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <thread>

#include "inspect/dump_names.h"
#include "support/cores.h"
#include "support/format.h"

namespace hloir {

StatusOr<std::vector<std::string>> ListModuleFiles(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error), end;
  if (error) return InvalidArgument(Format("{}: {}", folder, error.message()));
  std::vector<std::string> files;
  for (; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (at->is_regular_file(ignored) && NamesModule(at->path().filename().string()))
      files.push_back(at->path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void ForEachInOrder(size_t count, int threads, const std::function<void(size_t)>& work,
                    const std::function<void(size_t)>& done) {
  const size_t wanted = std::min(count, static_cast<size_t>(threads > 0 ? threads : AvailableCores()));
  const size_t ahead = 4 * wanted;
  std::mutex mutex;
  std::condition_variable changed;
  size_t begun = 0, reported = 0;
  std::vector<bool> over(count);
  const auto loop = [&] {
    std::unique_lock lock(mutex);
    while (begun < count) {
      if (begun >= reported + ahead) {
        changed.wait(lock);
        continue;
      }
      const size_t k = begun++;
      lock.unlock();
      work(k);
      lock.lock();
      over[k] = true;
      changed.notify_all();
    }
  };
  std::vector<std::thread> pool;
  try {
    while (wanted > 1 && pool.size() < wanted) pool.emplace_back(loop);
  } catch (const std::system_error&) {  // no more threads are available; continue with the existing ones
  }
  std::unique_lock lock(mutex);
  while (reported < count) {
    if (over[reported]) {
      const size_t k = reported;
      lock.unlock();
      done(k);
      lock.lock();
      ++reported;
      changed.notify_all();
    } else if (pool.empty()) {
      const size_t k = begun++;
      work(k);
      over[k] = true;
    } else {
      changed.wait(lock);
    }
  }
  lock.unlock();
  for (std::thread& thread : pool) thread.join();
}

}  // namespace hloir
