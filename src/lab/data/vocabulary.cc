#include "lab/data/vocabulary.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "lab/data/random.h"

namespace mr::lab {
namespace {

// Roughly by frequency, since that is what the Zipf weights are given by.
constexpr std::string_view kEnglish =
    "the of and to a in that it is was he for on with as his be at by i this had not are but from "
    "or have an they which one you were her all she there would their we him been has when who "
    "will more no if out so said what up its about into than them can only other new some could "
    "time these two may then do first any my now such like our over man me even most made after "
    "also did many before must through years where much your way well down should because each "
    "just those people too how little state good very make world still own see men work long get "
    "here between both life being under never day same another know while last might us great old "
    "year off come since against go came right used take three himself few house use during "
    "without again place around however home small found mrs thought went say part once general "
    "high upon school every does got united left number course war until always away something "
    "fact though water less public put thing almost hand enough far took head yet government "
    "system better set told nothing night end why called find going look asked later knew point "
    "next program city business group toward young days let room side social given present order "
    "several rather second possible national big among case often things early john white young "
    "within along large best power least eyes door light name feel area kind four open change "
    "interest air question turn god need country church whole felt others gave body matter face "
    "sense word family mind land morning near letter company history voice able result read "
    "father mother child quite field study half cost money became action table moment line five "
    "law form heart held real seemed ground clear car behind real true river service across road "
    "short death close black local field perhaps market figure already keep street office town "
    "level force age stood report common value reason book idea believe string hard late today "
    "society human certain together strong became period past view class above party special "
    "music full party member support hundred available art strength wall window board answer run "
    "minutes evidence love anything nature sound wife position fire boy free deep hear wind story "
    "ready winter summer paper written front sea garden hope silence captain island forest bright "
    "horse soft yellow mountain evening shadow walked quick spring friend stone ancient narrow "
    "whisper harbour lantern copper meadow thunder village kitchen honest bitter weather journey "
    "silver castle bridge corner winter market doctor student teacher soldier minister engine "
    "measure memory record reading sequence pattern file page cache kernel buffer system process";

constexpr std::string_view kEnglishSyllables =
    "ba be bi bo bra bri ca ce cha chi cla co con cre da de der di dis do dra en er es ex fa fe fi "
    "fla fo for fra ga ge gi gra gre ha he hi hol ho im in ing ja ju ka ke ki la le li lo lu ma me "
    "men mi mo mu na ne ni no nu o or pa pe per phi pla po pre pri pro qua ra re ri ro ru sa sca "
    "se sha si so spe sta ste sti sto su ta te ter tha ti to tra tri tu u un va ve ver vi vo wa we "
    "wi wo za zen";
constexpr std::string_view kEnglishEndings =
    "s ed ing er est ly tion ment ness ity al ous ive able ism ist ence ance ary age y e on an um "
    "ure ate ize ish ful";

constexpr std::string_view kRussian =
    "и в не на я быть он с что а по это она этот к но они мы весь который из у то за свой весь год "
    "от так о для ты же все тот мочь вы человек такой его сказать только или ещё бы себя один как "
    "уже до время если сам когда другой вот говорить наш мой знать стать при чтобы дело жизнь кто "
    "первый очень два день её новый рука даже во со раз где там под можно ну какой после их работа "
    "без самый потом надо хотеть ли слово идти большой должен место иметь ничто сейчас тут лицо "
    "каждый друг нет теперь ни глаз тоже тогда видеть вопрос через да здесь дом перед стоять "
    "думать хорошо город понять голос сторона дорога письмо ночь вода утро вечер земля книга окно "
    "дверь стол голова сердце конец час мир страна народ война власть закон сила правда мысль "
    "история душа любовь смерть снег ветер лес река море небо солнце звезда зима весна лето осень "
    "старый молодой белый чёрный красный тихий далёкий последний читать писать искать ждать "
    "отвечать молчать помнить забыть память страница строка запись чтение";
constexpr std::string_view kRussianSyllables =
    "ба бе бо бра ва ве ви во вра га го гра да де ди до дру жа же жи за зе зи зо ка ке ки ко кра "
    "кри ла ле ли ло лю ма ме ми мо му на не ни но ну об пе по пра при про пу ра ре ри ро ру са се "
    "си ско сла сно со ста сти су та те ти то тра ту ум хо це ча че чи ша ши ще";
constexpr std::string_view kRussianEndings =
    "ть ет ют ала ение ость ный ная ные ого ому ами ах ем ом ик ка ки ние ства ник ой ый ешь";

constexpr std::string_view kSubsystems =
    "queue page block net usb node disk cache sched timer inode task mem irq pci link port ring "
    "table frame index event store chan bus map";
constexpr std::string_view kVerbs =
    "get put set init free alloc read write find add remove update flush lock unlock check reset "
    "resume suspend start stop enable disable map unmap send recv wait wake parse insert lookup "
    "probe commit release register handle";
constexpr std::string_view kObjects =
    "entry state data list head tail buffer device range flags size count owner pending locked "
    "status error config request mask offset bytes handler context work slot region batch";
constexpr std::string_view kVariables =
    "i ret err len p n dev buf data size flags page node entry list offset count idx ctx state tmp "
    "mask next prev req val addr start end head res key lock nr status cur name bytes base limit";

std::vector<std::string> Split(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find(' '), text.size());
    words.emplace_back(text.substr(0, length));
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return words;
}

// Collects different words of bounded length until there are enough.
class WordList {
 public:
  WordList(std::size_t count, std::size_t max_bytes) : count_(count), max_bytes_(max_bytes) {}

  void Add(std::string word) {
    if (full() || word.size() > max_bytes_ || !seen_.insert(word).second) return;
    words_.push_back(std::move(word));
  }
  bool full() const { return words_.size() == count_; }
  std::vector<std::string> Take() { return std::move(words_); }

 private:
  std::size_t count_;
  std::size_t max_bytes_;
  std::vector<std::string> words_;
  std::unordered_set<std::string> seen_;
};

const std::string& Choose(Random& random, const std::vector<std::string>& from) {
  return from[random.Below(from.size())];
}

std::vector<std::string> Language(std::size_t count, std::string_view common,
                                  std::string_view syllables, std::string_view endings) {
  WordList words(count, 24);
  for (std::string& word : Split(common)) words.Add(std::move(word));
  const std::vector<std::string> middle = Split(syllables);
  const std::vector<std::string> last = Split(endings);
  Random random(count);
  while (!words.full()) {
    // One draw to a statement: the order of draws within one would be the compiler's choice.
    std::string word = Choose(random, middle);
    word += Choose(random, middle);
    if (random.Below(3) == 0) word += Choose(random, middle);
    if (random.Below(3) != 0) word += Choose(random, last);
    words.Add(std::move(word));
  }
  return words.Take();
}

std::string UpperCase(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

std::vector<std::string> Identifiers(std::size_t count, bool verb_needed,
                                     std::vector<std::string> first) {
  WordList names(count, 28);
  for (std::string& name : first) names.Add(std::move(name));
  const std::vector<std::string> subsystems = Split(kSubsystems);
  const std::vector<std::string> verbs = Split(kVerbs);
  const std::vector<std::string> objects = Split(kObjects);
  Random random(count + (verb_needed ? 1 : 0));
  while (!names.full()) {
    std::string name = Choose(random, subsystems);
    if (random.Below(3) == 0) name = "__" + name;
    if (verb_needed || random.Below(4) == 0) name += "_" + Choose(random, verbs);
    if (random.Below(4) != 0) name += "_" + Choose(random, objects);
    if (random.Below(4) == 0) name += "_" + Choose(random, objects);
    names.Add(std::move(name));
  }
  return names.Take();
}

}  // namespace

std::vector<std::string> EnglishWords(std::size_t count) {
  return Language(count, kEnglish, kEnglishSyllables, kEnglishEndings);
}

std::vector<std::string> RussianWords(std::size_t count) {
  return Language(count, kRussian, kRussianSyllables, kRussianEndings);
}

std::vector<std::string> FunctionNames(std::size_t count) { return Identifiers(count, true, {}); }

std::vector<std::string> MacroNames(std::size_t count) {
  std::vector<std::string> names = Identifiers(count, false, {});
  for (std::string& name : names) {
    if (name.starts_with("__")) name.erase(0, 2);
    name = UpperCase(std::move(name));
  }
  return names;
}

std::vector<std::string> VariableNames(std::size_t count) {
  return Identifiers(count, false, Split(kVariables));
}

}  // namespace mr::lab
