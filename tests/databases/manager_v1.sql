-- The manager's database of version 1 with an event of three matches, one of them completed and
-- one aborted, as `sqlite3 .dump` writes it. It was made through Store, NameStore and TokenStore.
BEGIN TRANSACTION;
CREATE TABLE attempts (
	match_id VARCHAR(200) NOT NULL, 
	"match" INTEGER NOT NULL, 
	status VARCHAR(20) NOT NULL, 
	began BIGINT NOT NULL, 
	ended BIGINT, 
	reason TEXT NOT NULL, 
	PRIMARY KEY (match_id), 
	FOREIGN KEY("match") REFERENCES matches (id)
);
INSERT INTO "attempts" VALUES('nim.c0ffee.1.1',1,'completed',1000,1000,'');
INSERT INTO "attempts" VALUES('nim.c0ffee.2.1',2,'aborted',1000,1000,'the manager was stopped');
CREATE TABLE events (
	id INTEGER NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	settings JSON NOT NULL, 
	digests JSON NOT NULL, 
	status VARCHAR(20) NOT NULL, 
	created BIGINT NOT NULL, 
	ended BIGINT, 
	PRIMARY KEY (id)
);
INSERT INTO "events" VALUES(1,'cup','{"format": "swiss"}','{"nim": "dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"}','running',1000,NULL);
CREATE TABLE games (
	name VARCHAR(80) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	added BIGINT NOT NULL, 
	PRIMARY KEY (name), 
	FOREIGN KEY(digest) REFERENCES rulesheets (digest)
);
INSERT INTO "games" VALUES('nim','dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd',1000);
CREATE TABLE matches (
	id INTEGER NOT NULL, 
	event INTEGER NOT NULL, 
	place TEXT NOT NULL, 
	game VARCHAR(80) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	round INTEGER NOT NULL, 
	seed BIGINT NOT NULL, 
	players JSON NOT NULL, 
	status VARCHAR(20) NOT NULL, 
	attempts INTEGER NOT NULL, 
	ended BIGINT, 
	result JSON, 
	record TEXT, 
	PRIMARY KEY (id), 
	UNIQUE (event, place), 
	FOREIGN KEY(event) REFERENCES events (id), 
	FOREIGN KEY(digest) REFERENCES rulesheets (digest)
);
INSERT INTO "matches" VALUES(1,1,'p0','nim','dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd',1,9007199254740991,'["ann", "bot"]','completed',1,1000,'{"failure": "", "goals": [100, 0]}','{"matchId": 1}');
INSERT INTO "matches" VALUES(2,1,'p1','nim','dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd',1,9007199254740991,'["ann", "bot"]','waiting',1,NULL,NULL,NULL);
INSERT INTO "matches" VALUES(3,1,'p2','nim','dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd',1,9007199254740991,'["ann", "bot"]','waiting',0,NULL,NULL,NULL);
CREATE TABLE meta (
	"key" VARCHAR(40) NOT NULL, 
	value TEXT NOT NULL, 
	PRIMARY KEY ("key")
);
INSERT INTO "meta" VALUES('schema_version','1');
INSERT INTO "meta" VALUES('label','c0ffee');
CREATE TABLE players (
	name VARCHAR(80) NOT NULL, 
	address TEXT NOT NULL, 
	dialects JSON NOT NULL, 
	versions JSON NOT NULL, 
	owner VARCHAR(80) NOT NULL, 
	added BIGINT NOT NULL, 
	expires BIGINT, 
	PRIMARY KEY (name)
);
INSERT INTO "players" VALUES('ann','127.0.0.1:1','["A", "D"]','{"python": "3"}','red',1000,1099511627776);
INSERT INTO "players" VALUES('bot','random','[]','{}','',1000,NULL);
CREATE TABLE ratings (
	event INTEGER NOT NULL, 
	player VARCHAR(80) NOT NULL, 
	value FLOAT NOT NULL, 
	low FLOAT NOT NULL, 
	high FLOAT NOT NULL, 
	PRIMARY KEY (event, player), 
	FOREIGN KEY(event) REFERENCES events (id)
);
INSERT INTO "ratings" VALUES(1,'ann',1.5,-2.0,4.0);
CREATE TABLE rulesheets (
	digest VARCHAR(64) NOT NULL, 
	rules TEXT NOT NULL, 
	roles JSON NOT NULL, 
	PRIMARY KEY (digest)
);
INSERT INTO "rulesheets" VALUES('dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd','(role one)','["one", "two", "random"]');
CREATE TABLE tokens (
	name VARCHAR(80) NOT NULL, 
	role VARCHAR(20) NOT NULL, 
	hash VARCHAR(64) NOT NULL, 
	created BIGINT NOT NULL, 
	revoked BIGINT, 
	PRIMARY KEY (name), 
	UNIQUE (hash)
);
INSERT INTO "tokens" VALUES('red','player','2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b',1000,NULL);
CREATE INDEX matches_by_status ON matches (status, event);
CREATE INDEX attempts_by_status ON attempts (status);
CREATE INDEX attempts_by_match ON attempts ("match");
COMMIT;
